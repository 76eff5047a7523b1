import Foundation

/// The server's events under one filter, as pages or as a stream.
struct EventSource: Sendable {
    struct Page: Sendable {
        /// The server's JSON of each event, ascending by seq.
        var events: [[UInt8]]
        /// The seq of the newest event in the page, or 0 if it is empty.
        var lastSeq: Int64
        /// The seq of the newest event in the log, whatever the filter, from before the server read the page.
        var head: Int64
        var epoch: String?
    }

    private struct Marks: Decodable {
        struct Event: Decodable {
            var seq: Int64
        }
        struct Meta: Decodable {
            var epoch: LooseText?
            var head: Int64?
        }
        var events: [Event]
        var meta: Meta?
    }

    var client: HTTPClient
    var session: String?
    var types: [String]

    private static let pageSize = 200

    var filter: [URLQueryItem] {
        var query: [URLQueryItem] = []
        if let session { query.append(URLQueryItem(name: "session_id", value: session)) }
        if !types.isEmpty { query.append(URLQueryItem(name: "type", value: types.joined(separator: ","))) }
        return query
    }

    /// The newest `count` events in ascending order.
    func newest(_ count: Int) async throws(CommandError) -> Page {
        var page = try await read([
            URLQueryItem(name: "limit", value: String(max(1, count))), URLQueryItem(name: "order", value: "desc"),
        ])
        page.events = count == 0 ? [] : page.events.reversed()
        return page
    }

    /// Reads every event after a position, page by page, up to the newest.
    /// - Parameter epoch: the log's epoch, if known. The numbers of another epoch are meaningless.
    func after(_ seq: Int64, epoch: String?, _ take: (Page) throws -> Void) async throws {
        var seq = seq
        while true {
            let page = try await read([
                URLQueryItem(name: "limit", value: String(EventSource.pageSize)),
                URLQueryItem(name: "order", value: "asc"), URLQueryItem(name: "after", value: String(seq)),
            ])
            if let epoch, let current = page.epoch, epoch != current {
                throw CommandError.refused("the server has a new log (epoch \(current)): use --last")
            }
            try take(page)
            guard page.lastSeq > seq else { return }
            seq = page.lastSeq
        }
    }

    private func read(_ query: [URLQueryItem]) async throws(CommandError) -> Page {
        let body = try await client.get("/v1/events", query: query + filter)
        let marks = try ServerJSON.decode(Marks.self, body)
        return Page(
            events: JSONSlices.elements(of: "events", in: body) ?? [],
            lastSeq: marks.events.map(\.seq).max() ?? 0,
            head: marks.meta?.head ?? 0,
            epoch: marks.meta?.epoch?.text
        )
    }
}
