internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Telemetry

/// The routes that accept events.
enum IngestKind: String {
    /// Envelopes: one, an array, or one per line.
    case events = "/api/events"
    /// One hook's JSON without an envelope.
    case hook = "/api/hooks"
    /// Hook bodies in the formats of two other monitors' senders.
    case sourceAppHook = "/events"
    case typedHook = "/api/hooks/event"
    /// OTLP/HTTP.
    case logs = "/v1/logs"
    case metrics = "/v1/metrics"
    case traces = "/v1/traces"
    /// One envelope, of a hook that waits for an answer.
    case prompt = "/api/prompts"

    static let capability = Capability.post

    /// What a body holds.
    enum Content {
        case envelopes
        case hook(HookForm)
        case telemetry(OTLPSignal)
    }

    var content: Content {
        switch self {
        case .events, .prompt: .envelopes
        case .hook: .hook(.bare)
        case .sourceAppHook: .hook(.sourceApp)
        case .typedHook: .hook(.hookType)
        case .logs: .telemetry(.logs)
        case .metrics: .telemetry(.metrics)
        case .traces: .telemetry(.traces)
        }
    }

    /// The error in the format that the senders of this route expect.
    func response(_ error: APIError, to request: HTTPRequest) -> HTTPResponse {
        guard case .telemetry = content else { return error.response(requestID: request.requestID) }
        let format = (try? OTLPFormat(contentType: request.headers["content-type"])) ?? .json
        return OTLPAnswer.failure(error, format, requestID: request.requestID)
    }

    init?(_ request: HTTPRequest) {
        guard request.method == .post, let kind = IngestKind(rawValue: request.path) else { return nil }
        self = kind
    }
}

extension HTTPRequest {
    /// Claude-Code-Agent-Monitor's sender puts its credential into a header of its own.
    var showingHookToken: HTTPRequest {
        guard path == IngestKind.typedHook.rawValue, headers["authorization"] == nil, headers["x-api-key"] == nil,
            let token = headers["x-ccam-hook-token"]
        else { return self }
        var request = self
        request.headers["x-api-key"] = token
        return request
    }
}
