extension JSONValue {
    /// The value with the members of each object in the order of their names, each once: the last one counts. Values
    /// that say the same are then equal.
    ///
    /// - Parameter levels: what lies deeper stays as it is.
    public func sorted(levels: Int = 64) -> JSONValue {
        guard levels > 0 else { return self }
        switch self {
        case .object(let members):
            var last: [String: JSONValue] = [:]
            for (name, value) in members { last[name] = value }
            return .object(last.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted(levels: levels - 1)) })
        case .array(let values): return .array(values.map { $0.sorted(levels: levels - 1) })
        default: return self
        }
    }

    /// The JSON text.
    public var encoded: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.value(self)
        return writer.bytes
    }
}
