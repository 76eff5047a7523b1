package import HTTPModel

extension RouteDescription {
    /// Throws a 400 that names the first parameter which the route does not describe, or which comes twice, be it by
    /// another name. A value that nobody reads would otherwise change nothing, and the caller would take the answer for
    /// another one.
    ///
    /// Checks paths of `/v1` only: hooks and other monitors' clients may add parameters of their own to theirs.
    ///
    /// - Parameter isStream: whether the request is for the path's stream of events.
    package func check(_ query: QueryParameters, isStream: Bool = false) throws(APIError) {
        guard path.hasPrefix("/v1/") else { return }
        let known = isStream ? streamParameters : parameters
        var seen: Set<String> = []
        for name in query.names {
            guard let parameter = known.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
                throw RouteDescription.unknown(name, known)
            }
            guard seen.insert(parameter.name).inserted || parameter.isRepeatable else {
                throw .invalid("invalid_parameter", "'\(parameter.name)' may come once.", param: name)
            }
        }
    }

    private static func unknown(_ name: String, _ known: [QueryParameter]) -> APIError {
        let shown = String(name.prefix(64))
        let names = known.flatMap { [$0.name] + $0.aliases }.joined(separator: ", ")
        let rest = known.isEmpty ? "There are none here." : "Those here are \(names)."
        return .invalid("invalid_parameter", "There is no parameter '\(shown)'. \(rest)", param: shown)
    }

    /// The parameters of the list and of the stream, each once.
    var allParameters: [QueryParameter] {
        parameters + streamParameters.filter { parameter in !parameters.contains { $0.name == parameter.name } }
    }
}
