internal import EventModel
internal import JSON

// Encodes tuples as arrays.

extension JSONWriter {
    mutating func list<Value>(_ name: String, _ values: [Value], write: (inout JSONWriter, Value) -> Void) {
        guard !values.isEmpty else { return }
        beginArray(name)
        for value in values {
            beginArray()
            write(&self, value)
            endArray()
        }
        endArray()
    }

    /// Omitted if the value is nil.
    mutating func tuple<Value>(_ name: String, _ value: Value?, write: (inout JSONWriter, Value) -> Void) {
        guard let value else { return }
        beginArray(name)
        write(&self, value)
        endArray()
    }

    mutating func text(_ text: String?) {
        if let text { string(text) } else { value(.null) }
    }

    mutating func time(_ time: Timestamp?) {
        if let time { integer(time.microseconds) } else { value(.null) }
    }
}

extension JSONValue {
    /// Ignores elements that cannot be decoded.
    func list<Value>(_ name: String, of count: Int, read: ([JSONValue]) -> Value?) -> [Value] {
        (self[name]?.array ?? []).compactMap { element in
            guard let fields = element.array, fields.count == count else { return nil }
            return read(fields)
        }
    }

    func tuple<Value>(_ name: String, of count: Int, read: ([JSONValue]) -> Value?) -> Value? {
        guard let fields = self[name]?.array, fields.count == count else { return nil }
        return read(fields)
    }
}
