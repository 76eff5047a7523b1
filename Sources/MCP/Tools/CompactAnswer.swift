internal import JSON

/// The answer of a route without what only pages and REST clients need: lists under two names, links, totals.
enum CompactAnswer {
    private static let surplus: Set<String> = ["object", "pagination", "meta", "links"]

    /// - Parameter list: the list's name, if the route answers with a list.
    static func json(_ body: [UInt8], list: String?) -> [UInt8] {
        guard let list, case .object(let members)? = try? JSONValue.parse(body, maxDepth: 200) else { return body }
        let isNamed = members.contains { $0.0 == list }
        // One machine instead of a list of them.
        guard isNamed || members.contains(where: { $0.0 == "data" }) else {
            return text(.object([(list, .array([.object(members)]))]))
        }
        let kept = members.compactMap { name, value -> (String, JSONValue)? in
            if surplus.contains(name) { return nil }
            guard name == "data" else { return (name, value) }
            return isNamed ? nil : (list, value)
        }
        return text(.object(kept))
    }

    private static func text(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.value(value)
        return writer.bytes
    }
}
