package import API
package import JSON

/// A command to an agent, with the person on whose behalf it is sent.
package struct AgentCommand: Sendable {
    package let method: String
    /// The agent keeps the outcome under this id for a day, so that a repeat is harmless.
    package let id: String
    package let by: Actor
    package let arguments: [(String, JSONValue)]

    package init(_ method: String, id: String, by actor: Actor, _ arguments: [(String, JSONValue?)]) {
        (self.method, self.id, by) = (method, id, actor)
        self.arguments = arguments.compactMap { name, value in value.map { (name, $0) } }
    }

    func params(seconds: Double) -> JSONValue {
        let actor: [(String, JSONValue)] =
            [("kind", .string(by.kind))] + (by.id.map { [("id", .string($0))] } ?? [])
            + (by.name.map { [("name", .string($0))] } ?? [])
        return .object(
            [
                ("command_id", .string(id)), ("by", .object(actor)),
                ("deadline_ms", .integer(Int64(seconds * 1000))),
            ] + arguments
        )
    }
}
