internal import EventModel
internal import HTTPModel
internal import JSON

/// A page of a list.
struct ListPage {
    /// A JSON array.
    var elements: [UInt8]
    var count: Int
    /// The cursor of the next page.
    var next: String?
    var hasMore: Bool
    /// Of all pages; `nil` where pages are not counted.
    var total: Int?
    /// The page ended before it was full, so that the next number would pass over elements: the cursor leads on.
    var isCut = false
}

/// The answer of every list. All have the same members: the elements under a name of their own and as `data`,
/// `next_cursor`, `has_more`, `pagination`, `meta` and `links`. What is not known is null.
struct ListAnswer {
    private let paging: Paging
    private let requestID: String
    private let time: Timestamp

    init(_ paging: Paging, _ request: RouteRequest, at time: Timestamp) {
        self.paging = paging
        requestID = request.http.requestID
        self.time = time
    }

    /// - Parameter name: what the elements are called beside `data`.
    /// - Parameter members: further members of the answer.
    /// - Parameter meta: further members of `meta`.
    func response(
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
        let perPage = paging.limit ?? page.count
        let pages = page.total.map { max(1, ($0 + perPage - 1) / max(1, perPage)) }
        writer.beginObject("pagination")
        writer.countOrNull("page", paging.page)
        writer.field("per_page", perPage)
        writer.countOrNull("total_items", page.total)
        writer.countOrNull("total_pages", pages)
        writer.field("has_next", page.hasMore)
        writer.field("has_prev", paging.page.map { $0 > 1 } ?? true)
        writer.endObject()
        writer.beginObject("meta")
        let start = writer.bytes.count
        writer.field("request_id", requestID)
        writer.field("timestamp", time.description)
        let end = writer.bytes.count
        writer.countOrNull("page", paging.page)
        writer.field("per_page", perPage)
        writer.countOrNull("total", page.total)
        writer.countOrNull("total_pages", pages)
        meta(&writer)
        writer.endObject()
        writeLinks(page, pages: pages, to: &writer)
        writer.endObject()
        var response = HTTPResponse.json(writer.bytes)
        response.passing = start..<end
        return response
    }

    private func writeLinks(_ page: ListPage, pages: Int?, to writer: inout JSONWriter) {
        let following = page.next.map { link("cursor=\(PercentEncoding.encode($0))&limit") }
        writer.beginObject("links")
        if let number = paging.page, let pages {
            writer.field("first", link("page=1&per_page"))
            writer.field("last", link("page=\(pages)&per_page"))
            let numbered = page.hasMore ? link("page=\(number + 1)&per_page") : nil
            writer.textOrNull("next", page.isCut ? following : numbered)
            writer.textOrNull("prev", number > 1 ? link("page=\(number - 1)&per_page") : nil)
        } else {
            writer.field("first", link("limit"))
            writer.null("last")
            writer.textOrNull("next", following)
            writer.null("prev")
        }
        writer.endObject()
    }

    private func link(_ place: String) -> String {
        let size = paging.limit.map { "\(place)=\($0)" }
        let query = [size ?? "", paging.filter].filter { !$0.isEmpty }.joined(separator: "&")
        return query.isEmpty ? paging.path : "\(paging.path)?\(query)"
    }
}

extension ListAnswer {
    /// A list that is read whole, of which a page may have been asked for.
    func response<Element>(
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

    /// A list that has the latest active first.
    func response<Element>(
        _ name: String,
        latest elements: [Element],
        hasMore: Bool,
        total: Int64?,
        cursor: (Element) -> ActivityCursor,
        write: (Element, inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var list = JSONWriter(reserving: 512 * (elements.count + 1))
        list.beginArray()
        for element in elements { write(element, &list) }
        list.endArray()
        let page = ListPage(
            elements: list.bytes,
            count: elements.count,
            next: hasMore ? elements.last.map { cursor($0).text } : nil,
            hasMore: hasMore,
            total: total.map { Int($0) }
        )
        return response(name, page)
    }
}

extension JSONWriter {
    fileprivate mutating func countOrNull(_ name: String, _ count: Int?) {
        if let count { field(name, count) } else { null(name) }
    }
}
