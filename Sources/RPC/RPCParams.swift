package import JSON

/// Parameters by name. `null` counts as absent. A parameter of the wrong type throws -32602, which names it.
package struct RPCParams: Sendable {
    private let value: JSONValue

    package init(_ params: JSONValue?) throws(RPCError) {
        if let values = params?.array, !values.isEmpty {
            throw .invalidParameter("params", "are taken by name, not by position")
        }
        value = params ?? .object([])
    }

    /// All parameters as one object.
    package var object: JSONValue { value }

    package var members: [(String, JSONValue)] {
        guard case .object(let members) = value else { return [] }
        return members
    }

    /// The value as received.
    package func value(_ name: String) -> JSONValue? { member(name) }

    package func has(_ name: String) -> Bool { member(name) != nil }

    /// A nonempty string of at most `limit` bytes of UTF-8.
    package func string(_ name: String, limit: Int = 256) throws(RPCError) -> String? {
        guard let member = member(name) else { return nil }
        guard let text = member.string else { throw .invalidParameter(name, "is not a string") }
        guard (1...limit).contains(text.utf8.count) else {
            throw .invalidParameter(name, "is not of 1 to \(limit) bytes")
        }
        return text
    }

    /// The first of these alternative names that is present.
    package func first(of names: String...) throws(RPCError) -> String? {
        for name in names {
            if let text = try string(name) { return text }
        }
        return nil
    }

    /// The first of these alternative names that is present. Throws -32602 if none is.
    package func required(_ names: String..., limit: Int = 256) throws(RPCError) -> String {
        for name in names {
            if let text = try string(name, limit: limit) { return text }
        }
        throw .invalidParameter(names[0], "is required")
    }

    package func boolean(_ name: String) throws(RPCError) -> Bool? {
        guard let member = member(name) else { return nil }
        guard let value = member.bool else { throw .invalidParameter(name, "is not true or false") }
        return value
    }

    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(RPCError) -> Int64? {
        guard let member = member(name) else { return nil }
        guard let number = member.integer else { throw .invalidParameter(name, "is not an integer") }
        guard range.contains(number) else {
            throw .invalidParameter(name, "is not in \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    /// An array of strings, each of 1 to `limit` bytes.
    package func strings(
        _ name: String,
        count: ClosedRange<Int>,
        limit: Int = 256
    ) throws(RPCError) -> [String]? {
        guard let member = member(name) else { return nil }
        guard let values = member.array else { throw .invalidParameter(name, "is not an array of strings") }
        guard count.contains(values.count) else {
            throw .invalidParameter(name, "does not hold \(count.lowerBound) to \(count.upperBound) strings")
        }
        var texts: [String] = []
        for value in values {
            guard let text = value.string, (1...limit).contains(text.utf8.count) else {
                throw .invalidParameter(name, "is not an array of strings of 1 to \(limit) bytes")
            }
            texts.append(text)
        }
        return texts
    }

    /// The id of an element: one number, or three numbers joined by `~`, each of at most 18 digits.
    package func place(_ name: String) throws(RPCError) -> [Int64]? {
        guard let text = try string(name) else { return nil }
        let parts = text.split(separator: "~", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count <= 18 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(part) : nil
        }
        guard numbers.count == parts.count, numbers.count == 1 || numbers.count == 3 else {
            throw .invalidParameter(name, "is not the id of an element")
        }
        return numbers
    }

    package func object(_ name: String) throws(RPCError) -> RPCParams? {
        guard let member = member(name) else { return nil }
        guard member.isObject else { throw .invalidParameter(name, "is not an object") }
        return try RPCParams(member)
    }

    private func member(_ name: String) -> JSONValue? {
        guard let member = value[name], member != .null else { return nil }
        return member
    }
}
