internal import JSON

/// A call of a caller's function by the model.
package struct ChatFunctionCall: Sendable, Equatable {
    package var id: String
    package var name: String
    /// A JSON text, as the model wrote it.
    package var arguments: String

    package init(id: String, name: String, arguments: String) {
        (self.id, self.name, self.arguments) = (id, name, arguments)
    }

    /// From an agent's report.
    ///
    /// - Parameter offered: the names of the functions that may be called. A machine's word is not enough.
    static func list(_ value: JSONValue?, of offered: Set<String>) -> [ChatFunctionCall] {
        guard !offered.isEmpty else { return [] }
        return (value?.array ?? []).compactMap { call in
            guard let id = call["id"]?.string, id.isWord(atMost: 128), let name = call["name"]?.string,
                offered.contains(name)
            else { return nil }
            return ChatFunctionCall(id: id, name: name, arguments: call["arguments"]?.string ?? "{}")
        }
    }

    /// - Parameter index: the place of the call in a stream.
    func write(at index: Int? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        if let index { writer.field("index", index) }
        writer.field("id", id)
        writer.field("type", "function")
        writer.beginObject("function")
        writer.field("name", name)
        writer.field("arguments", arguments)
        writer.endObject()
        writer.endObject()
    }
}
