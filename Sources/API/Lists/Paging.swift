package import EventModel
package import HTTPModel
internal import JSON

/// The requested part of a list: `limit` with `cursor`, or `page` with `per_page`. Totals are counted only for page
/// numbers and are null otherwise.
package struct Paging {
    /// `nil` requests the whole list.
    package let limit: Int?
    /// Validated by the list that issued it.
    package let cursor: String?
    /// Number of elements before the page; `nil` if no page number was requested.
    package let offset: Int?
    package let path: String
    /// `nil` if a cursor is used.
    package let page: Int?
    /// The other query parameters, for links to other pages.
    package let filter: String

    /// The page sizes of a list.
    package struct Size {
        package let range: ClosedRange<Int64>
        /// The default without `limit`. If `nil`, the list is returned whole, and `limit` and `cursor` are no
        /// parameters of it.
        package let usual: Int?
        /// Whether `page` and `per_page` are accepted.
        package let isNumbered: Bool

        package init(range: ClosedRange<Int64>, usual: Int?, isNumbered: Bool = true) {
            (self.range, self.usual, self.isNumbered) = (range, usual, isNumbered)
        }

        package static let usual = Size(range: 1...200, usual: 50)
        package static let byCursor = Size(range: 1...200, usual: 50, isNumbered: false)
        package static let log = Size(range: 1...999, usual: 50)
        package static let whole = Size(range: 1...200, usual: nil)
    }

    package init(_ query: QueryParameters, path: String, _ size: Size = .usual) throws(APIError) {
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

extension ListCursor {
    /// Returns `nil` without a cursor.
    package init?(_ paging: Paging) throws(APIError) {
        guard let text = paging.cursor else { return nil }
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let key = Int64(parts[0]), key >= 0 else {
            throw .invalid("invalid_parameter", "'cursor' is not one that a list gave out.", param: "cursor")
        }
        self.init(key: key, id: String(parts[1]))
    }

    package var text: String { "\(key)~\(id)" }
}
