/// The query of a URL, decoded as `application/x-www-form-urlencoded` (WHATWG URL 5.1).
public struct QueryParameters: Sendable, Equatable {
    private let pairs: [(name: String, value: String)]

    public init(_ query: String) {
        pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1] : ""
            return (
                PercentEncoding.decode(parts[0], plusIsSpace: true), PercentEncoding.decode(value, plusIsSpace: true)
            )
        }
    }

    /// The first value of the parameter with this name.
    public subscript(name: String) -> String? {
        pairs.first { $0.name == name }?.value
    }

    /// The names of all parameters, in the order of the query.
    package var names: [String] { pairs.map(\.name) }

    /// Every value of the parameters with this name, split at commas.
    public func list(_ name: String) -> [String] {
        pairs.filter { $0.name == name }.flatMap { $0.value.split(separator: ",").map(String.init) }
    }

    /// The query without the parameters with these names.
    public func encoded(without names: Set<String>) -> String {
        pairs.filter { !names.contains($0.name) }
            .map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
            .joined(separator: "&")
    }

    /// An integer in `range`. Throws a 400 that names the parameter for any other value.
    public func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound).",
                param: name
            )
        }
        return value
    }

    /// One of the words. Throws a 400 that names the parameter for any other value.
    package func choice(_ name: String, of words: [String]) throws(APIError) -> String? {
        guard let text = self[name] else { return nil }
        guard words.contains(text) else {
            let list = words.joined(separator: ", ")
            throw .invalid("invalid_parameter", "'\(name)' must be one of \(list).", param: name)
        }
        return text
    }

    package func choice<Value: RawRepresentable<String>>(
        _ name: String,
        of values: [Value]
    ) throws(APIError) -> Value? {
        try choice(name, of: values.map(\.rawValue)).flatMap(Value.init)
    }

    public static func == (left: QueryParameters, right: QueryParameters) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0 == $1 }
    }
}
