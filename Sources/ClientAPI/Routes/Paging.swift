internal import EventModel
internal import HTTPModel
internal import JSON

/// Which part of a list was asked for: `limit` with `cursor`, or `page` with `per_page`. Pages are counted only by
/// number: otherwise the totals are null.
struct Paging {
    /// `nil`: the whole list.
    let limit: Int?
    /// Checked by the list that gave it out.
    let cursor: String?
    /// How many elements are before the page; `nil` where no page number was asked for.
    let offset: Int?
    let path: String
    /// `nil` behind a cursor.
    let page: Int?
    /// The query's other parameters, for the links to further pages.
    let filter: String

    /// How many elements a page has.
    struct Size {
        let range: ClosedRange<Int64>
        /// Without `limit`; `nil`: all, and `limit` and `cursor` mean nothing.
        let usual: Int?
        /// Whether `page` and `per_page` are taken.
        var isNumbered = true

        static let usual = Size(range: 1...200, usual: 50)
        static let byCursor = Size(range: 1...200, usual: 50, isNumbered: false)
        static let log = Size(range: 1...999, usual: 50)
        static let whole = Size(range: 1...200, usual: nil)
    }

    init(_ query: QueryParameters, path: String, _ size: Size = .usual) throws(APIError) {
        self.path = path
        filter = query.encoded(without: ["page", "per_page", "limit", "cursor"])
        let perPage = size.isNumbered ? try query.integer("per_page", in: 1...200) : nil
        let page = size.isNumbered ? try query.integer("page", in: 1...100_000) : nil
        let limit = size.usual == nil ? nil : try query.integer("limit", in: size.range)
        guard page != nil || perPage != nil else {
            self.limit = size.usual.map { limit.map { Int($0) } ?? $0 }
            cursor = size.usual == nil ? nil : query["cursor"]
            offset = nil
            self.page = cursor == nil ? 1 : nil
            return
        }
        guard size.usual == nil || query["cursor"] == nil else {
            throw .invalid("invalid_parameter", "'cursor' and 'page' exclude each other.", param: "cursor")
        }
        let count = Int(perPage ?? limit ?? 20)
        let number = Int(page ?? 1)
        self.limit = count
        self.page = number
        cursor = nil
        offset = (number - 1) * count
    }
}

extension ActivityCursor {
    /// `nil` without a cursor.
    init?(_ paging: Paging) throws(APIError) {
        guard let text = paging.cursor else { return nil }
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), time >= 0 else {
            throw .invalid("invalid_parameter", "'cursor' is not one that a list gave out.", param: "cursor")
        }
        self.init(lastActivityAt: Timestamp(microseconds: time), id: String(parts[1]))
    }

    var text: String { "\(lastActivityAt.microseconds)~\(id)" }
}
