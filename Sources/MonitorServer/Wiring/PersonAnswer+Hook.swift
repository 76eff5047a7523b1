internal import JSON
internal import MCP

extension PersonAnswer {
    static let expired = PersonAnswer.denied(message: "Nobody answered in time.", isInterrupt: false)
    static let gone = PersonAnswer.denied(
        message: "The session went on without an answer.",
        isInterrupt: false
    )
    static let changed = PersonAnswer.denied(
        message: "The call was allowed with another input, which cannot be passed on this way. Try again.",
        isInterrupt: false
    )

    /// - Parameter output: as a hook would print it.
    init(hook output: [UInt8]) {
        let json = try? JSONValue.parse(output, maxDepth: 200)
        let decision = json?["hookSpecificOutput"]?["decision"] ?? .null
        guard decision["behavior"]?.string == "allow" else {
            self = .denied(
                message: decision["message"]?.string ?? "The user denied this from another device.",
                isInterrupt: decision["interrupt"]?.bool ?? false
            )
            return
        }
        let isChanged = decision["updatedInput"] != nil
        self = isChanged ? .changed : .allowed(permissions: decision["updatedPermissions"]?.array ?? [])
    }

    /// - Parameter output: the answer to one question, as a hook would print it.
    init(question output: [UInt8]) {
        let json = try? JSONValue.parse(output, maxDepth: 200)
        guard let input = json?.updatedInput, case .object(let answers)? = input["answers"],
            let (question, answer) = answers.first, let text = answer.string
        else {
            self = PersonAnswer(hook: output)
            if case .allowed = self { self = .gone }
            return
        }
        self = .replied(PersonReply(text: text, note: input["annotations"]?[question]?["notes"]?.string))
    }
}

extension JSONValue {
    /// In what a hook would print.
    var updatedInput: JSONValue? { self["hookSpecificOutput"]?["decision"]?["updatedInput"] }
}
