internal import EventModel
internal import HTTPModel
internal import JSON

/// Both ways to page through a list that has the latest active first: `limit` with `cursor`, or `page` with `per_page`.
struct Paging {
    let limit: Int
    let cursor: ActivityCursor?
    let offset: Int?
    private let path: String
    private let page: Int
    /// The query's other parameters, for the links to further pages.
    private let filter: String

    init(_ query: QueryParameters, path: String) throws(APIError) {
        self.path = path
        filter = query.encoded(without: ["page", "per_page"])
        let perPage = try query.integer("per_page", in: 1...200)
        let page = try query.integer("page", in: 1...100_000)
        let limit = try query.integer("limit", in: 1...200)
        guard page != nil || perPage != nil else {
            self.limit = Int(limit ?? 50)
            cursor = try Paging.cursor(query["cursor"])
            offset = nil
            self.page = 1
            return
        }
        guard query["cursor"] == nil else {
            throw .invalid("invalid_parameter", "'cursor' and 'page' exclude each other.", param: "cursor")
        }
        self.limit = Int(perPage ?? limit ?? 20)
        self.page = Int(page ?? 1)
        cursor = nil
        offset = (self.page - 1) * self.limit
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
    func write(last: ActivityCursor?, hasMore: Bool, total: Int64?, to writer: inout JSONWriter) {
        if hasMore, let last {
            writer.field("next_cursor", "\(last.lastActivityAt.microseconds)~\(last.id)")
        } else {
            writer.null("next_cursor")
        }
        writer.field("has_more", hasMore)
        guard let total else { return }
        let pages = max(1, (Int(total) + limit - 1) / limit)
        writer.beginObject("pagination")
        writer.field("page", self.page)
        writer.field("per_page", limit)
        writer.field("total_items", total)
        writer.field("total_pages", pages)
        writer.field("has_next", hasMore)
        writer.field("has_prev", self.page > 1)
        writer.endObject()
        writer.beginObject("meta")
        writer.field("page", self.page)
        writer.field("per_page", limit)
        writer.field("total", total)
        writer.field("total_pages", pages)
        writer.endObject()
        writer.beginObject("links")
        writer.field("first", link(1))
        writer.field("last", link(pages))
        writer.field("next", hasMore ? link(self.page + 1) : nil)
        writer.field("prev", self.page > 1 ? link(self.page - 1) : nil)
        writer.endObject()
    }

    private func link(_ page: Int) -> String {
        "\(path)?page=\(page)&per_page=\(limit)" + (filter.isEmpty ? "" : "&" + filter)
    }
}
