extension JSONValue {
    /// The value with the members of each object in the order of their names, each once: the last one counts. Values
    /// that say the same are then equal. Names are compared by their bytes: to other programs, two spellings of one
    /// character are two names.
    ///
    /// - Parameter levels: what lies deeper stays as it is.
    public func sorted(levels: Int = 64) -> JSONValue {
        guard levels > 0 else { return self }
        switch self {
        case .object(let members):
            let ordered = members.indices.sorted { one, two in
                let (first, second) = (members[one].0, members[two].0)
                if JSONValue.precedes(first, second) { return true }
                return !JSONValue.precedes(second, first) && one < two
            }
            var last: [(String, JSONValue)] = []
            for place in ordered {
                let (name, value) = members[place]
                if let known = last.last, !JSONValue.precedes(known.0, name) { last.removeLast() }
                last.append((name, value.sorted(levels: levels - 1)))
            }
            return .object(last)
        case .array(let values): return .array(values.map { $0.sorted(levels: levels - 1) })
        default: return self
        }
    }

    private static func precedes(_ one: String, _ two: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(two.utf8)
    }

    /// The JSON text.
    public var encoded: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.value(self)
        return writer.bytes
    }
}
