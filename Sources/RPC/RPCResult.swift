package import JSON

/// The result of a method. Always an object, because clients treat an absent or null result as a failure.
package struct RPCResult: Sendable {
    let json: [UInt8]

    package init(_ fields: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        json = writer.bytes
    }

    package init<Value>(_ shape: ObjectShape<Value>, _ value: Value) {
        json = shape.json(value)
    }

    /// - Parameter write: writes one whole object.
    package static func object(_ write: (inout JSONWriter) -> Void) -> RPCResult {
        var writer = JSONWriter()
        write(&writer)
        return RPCResult(json: writer.bytes)
    }

    private init(json: [UInt8]) {
        self.json = json
    }

    package static let empty = RPCResult { _ in }
}
