internal import ClaudeRunner
internal import JSON

extension ClaudeCommand {
    var json: JSONValue {
        .object(
            [("name", .string(name))] + (description.map { [("description", .string($0))] } ?? [])
                + (argumentHint.map { [("argument_hint", .string($0))] } ?? [])
        )
    }
}
