internal import EventIngest
internal import EventModel
internal import HTTPModel

/// The ways events come in.
enum IngestKind: String {
    /// Envelopes: one, an array, or one a line.
    case events = "/api/events"
    /// One hook's JSON itself.
    case hook = "/api/hooks"
    /// Hook bodies as the senders of two other monitors write them.
    case sourceAppHook = "/events"
    case typedHook = "/api/hooks/event"

    static let capability = Capability.post

    /// Of one hook; `nil` for envelopes.
    var form: HookForm? {
        switch self {
        case .events: nil
        case .hook: .bare
        case .sourceAppHook: .sourceApp
        case .typedHook: .hookType
        }
    }

    init?(_ request: HTTPRequest) {
        guard request.method == .post, let kind = IngestKind(rawValue: request.path) else { return nil }
        self = kind
    }
}

extension HTTPRequest {
    /// Claude-Code-Agent-Monitor's sender has a header of its own for its credential.
    var showingHookToken: HTTPRequest {
        guard path == IngestKind.typedHook.rawValue, headers["authorization"] == nil, headers["x-api-key"] == nil,
            let token = headers["x-ccam-hook-token"]
        else { return self }
        var request = self
        request.headers["x-api-key"] = token
        return request
    }
}
