internal import EventIngest
internal import EventModel
internal import HTTPModel

/// The routes that accept events.
enum IngestKind: String {
    /// Envelopes: one, an array, or one per line.
    case events = "/api/events"
    /// One hook's JSON without an envelope.
    case hook = "/api/hooks"
    /// Hook bodies in the formats of two other monitors' senders.
    case sourceAppHook = "/events"
    case typedHook = "/api/hooks/event"

    static let capability = Capability.post

    /// The format of one hook; `nil` for envelopes.
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
    /// Claude-Code-Agent-Monitor's sender puts its credential into its own header.
    var showingHookToken: HTTPRequest {
        guard path == IngestKind.typedHook.rawValue, headers["authorization"] == nil, headers["x-api-key"] == nil,
            let token = headers["x-ccam-hook-token"]
        else { return self }
        var request = self
        request.headers["x-api-key"] = token
        return request
    }
}
