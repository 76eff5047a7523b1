internal import EventModel
internal import HTTPModel
internal import JSON

/// Both ways to page through a list that has the latest active first: `limit` with `cursor`, or `page` with `per_page`.
/// The answer has the same members in both: where pages are not counted, what only counting tells is null.
struct Paging {
    let limit: Int
    let cursor: ActivityCursor?
    let offset: Int?
    private let path: String
    /// `nil` behind a cursor.
    private let page: Int?
    /// The query's other parameters, for the links to further pages.
    private let filter: String

    init(_ query: QueryParameters, path: String) throws(APIError) {
        self.path = path
        filter = query.encoded(without: ["page", "per_page", "limit", "cursor"])
        let perPage = try query.integer("per_page", in: 1...200)
        let page = try query.integer("page", in: 1...100_000)
        let limit = try query.integer("limit", in: 1...200)
        guard page != nil || perPage != nil else {
            self.limit = Int(limit ?? 50)
            cursor = try Paging.cursor(query["cursor"])
            offset = nil
            self.page = cursor == nil ? 1 : nil
            return
        }
        guard query["cursor"] == nil else {
            throw .invalid("invalid_parameter", "'cursor' and 'page' exclude each other.", param: "cursor")
        }
        self.limit = Int(perPage ?? limit ?? 20)
        let number = Int(page ?? 1)
        self.page = number
        cursor = nil
        offset = (number - 1) * self.limit
    }

    private static func cursor(_ text: String?) throws(APIError) -> ActivityCursor? {
        guard let text else { return nil }
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), time >= 0 else {
            throw .invalid("invalid_parameter", "'cursor' is not one that a list gave out.", param: "cursor")
        }
        return ActivityCursor(lastActivityAt: Timestamp(microseconds: time), id: String(parts[1]))
    }

    /// - Parameter total: where pages are counted.
    /// - Returns: the bytes that tell of the request alone.
    func write(
        last: ActivityCursor?,
        hasMore: Bool,
        total: Int64?,
        _ origin: ListOrigin,
        to writer: inout JSONWriter
    ) -> Range<Int> {
        let next = hasMore ? last.map { "\($0.lastActivityAt.microseconds)~\($0.id)" } : nil
        writer.textOrNull("next_cursor", next)
        writer.field("has_more", hasMore)
        let pages = total.map { max(1, (Int($0) + limit - 1) / limit) }
        let before = page.map { $0 > 1 } ?? true
        writer.beginObject("pagination")
        writer.countOrNull("page", page)
        writer.field("per_page", limit)
        writer.countOrNull("total_items", total.map { Int($0) })
        writer.countOrNull("total_pages", pages)
        writer.field("has_next", hasMore)
        writer.field("has_prev", before)
        writer.endObject()
        writer.beginObject("meta")
        let start = writer.bytes.count
        writer.field("request_id", origin.requestID)
        writer.field("timestamp", origin.time.description)
        let end = writer.bytes.count
        writer.countOrNull("page", page)
        writer.field("per_page", limit)
        writer.countOrNull("total", total.map { Int($0) })
        writer.countOrNull("total_pages", pages)
        writer.endObject()
        writeLinks(next: next, hasMore: hasMore, pages: pages, to: &writer)
        return start..<end
    }

    private func writeLinks(next: String?, hasMore: Bool, pages: Int?, to writer: inout JSONWriter) {
        writer.beginObject("links")
        if let page, let pages {
            writer.field("first", link("page=1&per_page"))
            writer.field("last", link("page=\(pages)&per_page"))
            writer.textOrNull("next", hasMore ? link("page=\(page + 1)&per_page") : nil)
            writer.textOrNull("prev", page > 1 ? link("page=\(page - 1)&per_page") : nil)
        } else {
            writer.field("first", link("limit"))
            writer.null("last")
            writer.textOrNull("next", next.map { link("cursor=\(PercentEncoding.encode($0))&limit") })
            writer.null("prev")
        }
        writer.endObject()
    }

    private func link(_ place: String) -> String {
        "\(path)?\(place)=\(limit)" + (filter.isEmpty ? "" : "&" + filter)
    }
}

/// Which request a list answers, and when.
struct ListOrigin {
    let requestID: String
    let time: Timestamp
}

extension JSONWriter {
    fileprivate mutating func countOrNull(_ name: String, _ count: Int?) {
        if let count { field(name, count) } else { null(name) }
    }

    mutating func textOrNull(_ name: String, _ text: String?) {
        if let text { field(name, text) } else { null(name) }
    }
}
