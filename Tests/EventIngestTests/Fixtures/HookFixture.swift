import Testing

/// One hook's object with what has to be read out of it.
struct HookFixture: Sendable, CustomTestStringConvertible {
    var event: String
    var json: String
    var summary: String

    var testDescription: String { event }
    var bytes: [UInt8] { Array(json.utf8) }

    /// `fields`: the event's own members, as JSON text without the braces.
    init(_ event: String, summary: String, _ fields: String) {
        self.event = event
        self.summary = summary
        json =
            #"{"session_id":"5f1d3c52-8a41-4c0e-9d0b-2f4f5d2f7a01","transcript_path":"/home/user/s.jsonl","#
            + #""cwd":"/home/user/project","prompt_id":"0c7e4a7e-3f5b-4f0a","permission_mode":"default","#
            + #""hook_event_name":"\#(event)","# + fields + "}"
    }

    static let all: [HookFixture] = tools + turns + surroundings
}
