public import HTTPModel
internal import JSON

/// What became of one item of a request.
public enum IngestOutcome: Sendable, Equatable {
    case accepted(eventID: String, seq: Int64)
    /// An event with this identifier was there already, at this place.
    case duplicate(eventID: String, seq: Int64)
    /// Durable on the server's disk; it has no place in the log before the database is back.
    case spooled(eventID: String)
    case rejected(eventID: String?, APIError)
}

extension IngestOutcome {
    fileprivate var isSpooled: Bool {
        guard case .spooled = self else { return false }
        return true
    }
}

/// The answer to `POST /api/events`, given after the commit, or after the fsync of the spool.
public struct IngestAnswer: Sendable {
    /// In the order of the request.
    public var outcomes: [IngestOutcome]

    public init(outcomes: [IngestOutcome]) {
        self.outcomes = outcomes
    }

    /// 202, or 400 with the envelope of the first error if every item was rejected.
    public func response(requestID: String) -> HTTPResponse {
        let error = firstErrorIfAllRejected
        var writer = JSONWriter(reserving: 64 + outcomes.count * 96)
        writer.beginObject()
        if let error { IngestAnswer.write(error, requestID: requestID, to: &writer) }
        writeCounts(to: &writer)
        if outcomes.contains(where: \.isSpooled) { writer.field("durability", "spooled") }
        writer.beginArray("events")
        for outcome in outcomes { IngestAnswer.write(outcome, to: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(status: error == nil ? 202 : 400, writer.bytes)
    }

    private var firstErrorIfAllRejected: APIError? {
        var first: APIError?
        for outcome in outcomes {
            guard case .rejected(_, let error) = outcome else { return nil }
            first = first ?? error
        }
        return first
    }

    private func writeCounts(to writer: inout JSONWriter) {
        var accepted = 0
        var duplicates = 0
        for outcome in outcomes {
            switch outcome {
            case .accepted, .spooled: accepted += 1
            case .duplicate: duplicates += 1
            case .rejected: continue
            }
        }
        writer.field("accepted", accepted)
        writer.field("duplicates", duplicates)
        writer.field("rejected", outcomes.count - accepted - duplicates)
    }

    private static func write(_ outcome: IngestOutcome, to writer: inout JSONWriter) {
        writer.beginObject()
        switch outcome {
        case .accepted(let id, let seq):
            writer.field("event_id", id)
            writer.field("seq", seq)
            writer.field("status", "accepted")
        case .duplicate(let id, let seq):
            writer.field("event_id", id)
            writer.field("seq", seq)
            writer.field("status", "duplicate")
        case .spooled(let id):
            writer.field("event_id", id)
            writer.field("status", "spooled")
        case .rejected(let id, let error):
            writer.field("event_id", id)
            writer.field("status", "rejected")
            write(error, requestID: nil, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ error: APIError, requestID: String?, to writer: inout JSONWriter) {
        writer.beginObject("error")
        writer.field("type", error.kind.rawValue)
        writer.field("code", error.code)
        writer.field("message", error.message)
        if let param = error.param { writer.field("param", param) } else { writer.null("param") }
        writer.field("status", error.status)
        writer.field("request_id", requestID)
        writer.endObject()
    }
}
