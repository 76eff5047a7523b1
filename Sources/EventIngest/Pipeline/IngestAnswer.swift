package import HTTPModel
internal import JSON

/// The answer to `POST /api/events`, sent after the commit or after the fsync of the spool.
package struct IngestAnswer: Sendable {
    /// The result of one item of the request.
    package struct Item: Sendable, Equatable {
        /// The sender's id, or `nil` if it sent none.
        package var eventID: String?
        package var outcome: IngestOutcome

        package init(_ eventID: String?, _ outcome: IngestOutcome) {
            self.eventID = eventID
            self.outcome = outcome
        }
    }

    /// In the order of the request.
    package var items: [Item]

    package init(items: [Item]) {
        self.items = items
    }

    /// 202, or 400 with the envelope of the first error if every item was rejected.
    package func response(requestID: String) -> HTTPResponse {
        let errors = items.compactMap(\.outcome.error)
        let error = errors.count == items.count ? errors.first : nil
        var writer = JSONWriter(reserving: 64 + items.count * 96)
        writer.beginObject()
        if let error { IngestAnswer.write(error, requestID: requestID, to: &writer) }
        let duplicates = items.count { if case .duplicate = $0.outcome { true } else { false } }
        writer.field("accepted", items.count - errors.count - duplicates)
        writer.field("duplicates", duplicates)
        writer.field("rejected", errors.count)
        if items.contains(where: { $0.outcome == .spooled }) { writer.field("durability", "spooled") }
        writer.beginArray("events")
        for item in items { IngestAnswer.write(item, to: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(status: error == nil ? 202 : 400, writer.bytes)
    }

    private static func write(_ item: Item, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("event_id", item.eventID)
        switch item.outcome {
        case .accepted(let seq):
            writer.field("seq", seq)
            writer.field("status", "accepted")
        case .duplicate(let seq):
            writer.field("seq", seq)
            writer.field("status", "duplicate")
        case .spooled: writer.field("status", "spooled")
        case .rejected(let error), .unavailable(let error):
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
