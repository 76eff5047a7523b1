import API
import JSON

/// The schemas that routes or other schemas name and that are not defined, in alphabetical order.
package func undefinedSchemas(_ routes: [RouteDescription], _ schemas: [(SchemaName, String)]) throws -> [String] {
    let named = routes.flatMap { $0.answers.map(\.schema) + [$0.body] }.compactMap { $0?.rawValue }
    let texts = routes.flatMap { ($0.parameters + $0.streamParameters).map(\.schema) } + schemas.map(\.1)
    let references = try texts.flatMap { try JSONValue.parse(Array($0.utf8)).references }
    let defined = Set(schemas.map { "#/components/schemas/\($0.0.rawValue)" })
    return Set(named.map { "#/components/schemas/\($0)" } + references).subtracting(defined).sorted()
}

extension JSONValue {
    /// All references (`$ref`), at any depth.
    package var references: Set<String> {
        if let elements = array { return elements.reduce(into: []) { $0.formUnion($1.references) } }
        guard case .object(let members) = self else { return [] }
        return members.reduce(into: []) { found, member in
            if member.0 == "$ref", let target = member.1.string { found.insert(target) }
            found.formUnion(member.1.references)
        }
    }

    /// The value that a reference names; `nil` if there is none.
    package func target(of reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(self) { $0?[String($1)] }
    }
}
