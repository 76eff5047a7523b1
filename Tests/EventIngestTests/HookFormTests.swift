import EventModel
import HTTPModel
import Testing

@testable import EventIngest

@Suite("Hooks in the forms of other monitors")
struct HookFormTests {
    private func event(_ form: HookForm, _ json: String) throws(APIError) -> MonitorEvent {
        try IngestDecoder.with().decodeHook(
            body: Array(json.utf8),
            form: form,
            contentType: "application/json",
            contentEncoding: nil,
            machine: MachineID(rawValue: 7),
            machineName: "key-name",
            now: receiptTime
        )
    }

    private let hook = #"{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/p","tool_name":"Bash"}"#

    @Test("source_app: the hook's object is the same event as it is alone, at the sender's time")
    func sourceApp() throws {
        let made = try event(
            .sourceApp,
            #"{"source_app":"web","session_id":"s1","hook_event_type":"PreToolUse","payload":\#(hook),"#
                + #""timestamp":1767607200123,"model_name":"opus","tool_name":"Bash","chat":[{"role":"user"}]}"#
        )
        let bare = try event(.bare, hook)
        #expect(made.type == bare.type)
        #expect(made.hookEventName == .known(.preToolUse))
        #expect(made.sessionID == "s1")
        #expect(made.toolName == "Bash")
        #expect(made.summary == bare.summary)
        #expect(made.projectPath == "/p")
        #expect(made.timestamp == Timestamp(rfc3339: "2026-01-05T10:00:00.123Z"))
        #expect(
            made.payloadText
                == String(hook.dropLast()) + #","_envelope":{"source_app":"web","model_name":"opus"}}"#
        )
    }

    @Test("hook_type: the hook's object is the same event as it is alone")
    func hookType() throws {
        let made = try event(.hookType, #"{"hook_type":"PreToolUse","data":\#(hook)}"#)
        #expect(made.type == .toolStart)
        #expect(made.sessionID == "s1")
        #expect(made.timestamp == receiptTime)
        #expect(made.payloadText == hook)
    }

    @Test("what the hook does not say of itself is taken from around it")
    func outside() throws {
        let named = try event(.hookType, #"{"hook_type":"Stop","data":{"raw":"?"}}"#)
        #expect(named.hookEventName == .known(.stop))
        let shared = try event(.sourceApp, #"{"session_id":"s2","hook_event_type":"Stop","payload":{}}"#)
        #expect(shared.sessionID == "s2")
        #expect(shared.timestamp == receiptTime)
        // The hook itself knows better.
        #expect(try event(.hookType, #"{"hook_type":"unknown","data":\#(hook)}"#).type == .toolStart)
    }

    @Test(
        "what is malformed is refused by name",
        arguments: [
            (HookForm.sourceApp, #"{"hook_event_type":"Stop"}"#, "missing_data", "payload"),
            (.sourceApp, #"{"hook_event_type":"Stop","payload":"x"}"#, "missing_data", "payload"),
            (.sourceApp, #"{"payload":{}}"#, "missing_event_type", nil),
            (.sourceApp, #"{"hook_event_type":7,"payload":{}}"#, "invalid_event_type", "hook_event_type"),
            (.sourceApp, #"{"hook_event_type":"Stop","payload":{},"timestamp":-1}"#, "invalid_timestamp", "timestamp"),
            (
                .sourceApp, #"{"hook_event_type":"Stop","payload":{},"timestamp":9223372036854775807}"#,
                "invalid_timestamp", "timestamp"
            ),
            (.sourceApp, #"{"hook_event_type":"a","payload":{},"session_id":7}"#, "invalid_session_id", "session_id"),
            (.hookType, #"{"hook_type":"Stop"}"#, "missing_data", "data"),
            (.hookType, #"{"hook_type":"Stop","data":[]}"#, "missing_data", "data"),
            (.hookType, "[]", "invalid_json", nil),
        ] as [(HookForm, String, String, String?)]
    )
    func malformed(form: HookForm, json: String, code: String, param: String?) {
        let error = #expect(throws: APIError.self) { try event(form, json) }
        #expect(error?.code == code)
        #expect(error?.param == param)
    }
}
