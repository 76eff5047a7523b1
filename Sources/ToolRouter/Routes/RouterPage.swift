internal import API
internal import HTTPModel
internal import JSON

/// A page of a list, as Composio's clients ask for it: a number of elements after a cursor.
struct RouterPage: Sendable, Equatable {
    var limit: Int
    var offset: Int

    /// - Parameter most: the highest `limit`. It is also the default if it is less than 20.
    init(_ query: QueryParameters, usual: Int, most: Int64 = 1000) throws(APIError) {
        limit = try query.integer("limit", in: 1...most).map { Int($0) } ?? usual
        offset = try query.integer("cursor", in: 0...1_000_000).map { Int($0) } ?? 0
    }

    /// The part of a list that was read whole.
    func part<Element>(of all: [Element]) -> [Element] { Array(all.dropFirst(offset).prefix(limit)) }

    func response<Element>(_ shown: [Element], of shape: ObjectShape<Element>, total: Int) -> HTTPResponse {
        let next = offset + shown.count
        var writer = JSONWriter(reserving: 1024 * (shown.count + 1))
        writer.beginObject()
        writer.beginArray("items")
        for element in shown { shape.write(element, to: &writer) }
        writer.endArray()
        writer.textOrNull("next_cursor", next < total && !shown.isEmpty ? String(next) : nil)
        writer.field("total_pages", max(1, (total + limit - 1) / limit))
        writer.field("current_page", offset / limit + 1)
        writer.field("total_items", total)
        writer.endObject()
        return .json(writer.bytes)
    }

    static func schema(_ name: SchemaName) -> String {
        JSONSchema.object([
            "items": JSONSchema.list(name), "next_cursor": JSONSchema.textOrNull, "total_pages": JSONSchema.count,
            "current_page": JSONSchema.count, "total_items": JSONSchema.count,
        ])
    }

    static func parameters(most: Int64 = 1000) -> [QueryParameter] {
        [
            .integer("limit", 1...most, "How many."),
            .text("cursor", matching: "^[0-9]{1,7}$", "The 'next_cursor' of the page before."),
        ]
    }
}
