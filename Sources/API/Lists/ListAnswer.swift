package import EventModel
package import HTTPModel
package import JSON

/// A page of a list.
package struct ListPage {
    /// A JSON array.
    package var elements: [UInt8]
    package var count: Int
    /// The cursor of the next page.
    package var next: String?
    package var hasMore: Bool
    /// Number of elements on all pages; `nil` if pages are not counted.
    package var total: Int?
    /// The page ended before it was full. The next page number would skip elements, so the client must follow the
    /// cursor.
    package var isCut: Bool

    package init(
        elements: [UInt8],
        count: Int,
        next: String? = nil,
        hasMore: Bool,
        total: Int? = nil,
        isCut: Bool = false
    ) {
        (self.elements, self.count, self.next) = (elements, count, next)
        (self.hasMore, self.total, self.isCut) = (hasMore, total, isCut)
    }
}

/// The answer of every list. All lists have the same members: the elements under their own name and as `data`,
/// `next_cursor`, `has_more`, `pagination`, `meta` and `links`. Unknown values are null.
package struct ListAnswer {
    private let paging: Paging
    private let requestID: String
    private let time: Timestamp

    package init(_ paging: Paging, _ request: RouteRequest, at time: Timestamp) {
        self.paging = paging
        requestID = request.http.requestID
        self.time = time
    }

    /// - Parameter name: the name of the elements besides `data`.
    /// - Parameter members: additional members of the answer.
    /// - Parameter meta: additional members of `meta`.
    package func response(
        _ name: String?,
        _ page: ListPage,
        members: (inout JSONWriter) -> Void = { _ in },
        meta: (inout JSONWriter) -> Void = { _ in }
    ) -> HTTPResponse {
        var writer = JSONWriter(reserving: (name == nil ? 1 : 2) * page.elements.count + 1024)
        writer.beginObject()
        writer.field("object", "list")
        if let name { writer.field(name, json: page.elements) }
        writer.field("data", json: page.elements)
        members(&writer)
        writer.textOrNull("next_cursor", page.next)
        writer.field("has_more", page.hasMore)
        let perPage = paging.limit ?? max(1, page.count)
        let pages = page.total.map { max(1, ($0 + perPage - 1) / perPage) }
        let pagination = Pagination(page: paging.page, perPage: perPage, pages: pages, of: page)
        writer.key("pagination")
        Pagination.shape.write(pagination, to: &writer)
        writer.beginObject("meta")
        let start = writer.bytes.count
        writer.field("request_id", requestID)
        writer.field("timestamp", time.description)
        let end = writer.bytes.count
        Pagination.meta.writeMembers(of: pagination, to: &writer)
        meta(&writer)
        writer.endObject()
        writer.key("links")
        PageLinks.shape.write(links(page, pages: pages), to: &writer)
        writer.endObject()
        var response = HTTPResponse.json(writer.bytes)
        response.passing = start..<end
        return response
    }

    private func links(_ page: ListPage, pages: Int?) -> PageLinks {
        let following = page.next.map { link("cursor=\(PercentEncoding.encode($0))&limit") }
        guard paging.offset != nil, let number = paging.page, let pages else {
            return PageLinks(first: link("limit"), next: following)
        }
        let numbered = page.hasMore ? link("page=\(number + 1)&per_page") : nil
        return PageLinks(
            first: link("page=1&per_page"),
            last: link("page=\(pages)&per_page"),
            next: page.isCut ? following : numbered,
            previous: number > 1 ? link("page=\(number - 1)&per_page") : nil
        )
    }

    private func link(_ place: String) -> String {
        let size = paging.limit.map { "\(place)=\($0)" }
        let query = [size ?? "", paging.filter].filter { !$0.isEmpty }.joined(separator: "&")
        return query.isEmpty ? paging.path : "\(paging.path)?\(query)"
    }
}

extension ListAnswer {
    /// Answers with a list that was read whole, or with the requested page of it.
    package func response<Element>(
        _ name: String?,
        whole elements: [Element],
        of shape: ObjectShape<Element>,
        members: (inout JSONWriter) -> Void = { _ in }
    ) -> HTTPResponse {
        response(name, whole: elements, members: members) { shape.write($0, to: &$1) }
    }

    package func response<Element>(
        _ name: String?,
        whole elements: [Element],
        members: (inout JSONWriter) -> Void = { _ in },
        write: (Element, inout JSONWriter) -> Void
    ) -> HTTPResponse {
        let behind = elements.dropFirst(paging.offset ?? 0)
        let shown = behind.prefix(paging.limit ?? behind.count)
        var list = JSONWriter(reserving: 256 * (shown.count + 1))
        list.beginArray()
        for element in shown { write(element, &list) }
        list.endArray()
        let page = ListPage(
            elements: list.bytes,
            count: shown.count,
            hasMore: shown.count < behind.count,
            total: paging.offset.map { _ in elements.count }
        )
        return response(name, page, members: members)
    }

    /// Answers with a page that has a cursor of its own.
    package func response<Element>(
        _ name: String,
        _ elements: [Element],
        of shape: ObjectShape<Element>,
        next: String?,
        total: Int64? = nil
    ) -> HTTPResponse {
        var list = JSONWriter(reserving: 512 * (elements.count + 1))
        list.beginArray()
        for element in elements { shape.write(element, to: &list) }
        list.endArray()
        let page = ListPage(
            elements: list.bytes,
            count: elements.count,
            next: next,
            hasMore: next != nil,
            total: total.map { Int($0) }
        )
        return response(name, page)
    }

    /// Answers with a list that is sorted by last activity.
    package func response<Element>(
        _ name: String,
        latest elements: [Element],
        of shape: ObjectShape<Element>,
        hasMore: Bool,
        total: Int64?,
        cursor: (Element) -> ListCursor
    ) -> HTTPResponse {
        let next = hasMore ? elements.last.map { cursor($0).text } : nil
        return response(name, elements, of: shape, next: next, total: total)
    }
}

/// The page's position among all pages, if pages are counted.
package struct Pagination {
    package let page: Int?
    package let perPage: Int
    package let total: Int?
    package let pages: Int?
    package let hasNext: Bool

    package init(page: Int?, perPage: Int, pages: Int?, of list: ListPage) {
        (self.page, self.perPage, self.pages) = (page, perPage, pages)
        (total, hasNext) = (list.total, list.hasMore)
    }

    package static let shape = ObjectShape<Pagination>("Pagination") { it in
        it.memberOrNull("page") { $0.page }
        it.member("per_page") { $0.perPage }
        it.memberOrNull("total_items") { $0.total }
        it.memberOrNull("total_pages") { $0.pages }
        it.member("has_next") { $0.hasNext }
        it.member("has_prev") { $0.page.map { $0 > 1 } ?? true }
    }

    /// The members in `meta`, besides those about the request.
    package static let meta = ObjectShape<Pagination> { it in
        it.memberOrNull("page") { $0.page }
        it.member("per_page") { $0.perPage }
        it.memberOrNull("total") { $0.total }
        it.memberOrNull("total_pages") { $0.pages }
    }
}

package struct PageLinks {
    package var first: String
    package var last: String?
    package var next: String?
    package var previous: String?

    package static let shape = ObjectShape<PageLinks>("PageLinks") { it in
        it.member("first") { $0.first }
        it.memberOrNull("last") { $0.last }
        it.memberOrNull("next") { $0.next }
        it.memberOrNull("prev") { $0.previous }
    }
}

extension HTTPResponse {
    package static func json<Value>(status: Int = 200, _ shape: ObjectShape<Value>, _ value: Value) -> HTTPResponse {
        .json(status: status, shape.json(value))
    }
}
