package import JSON

/// What a checked answer does. It contains only what the machine's file allows, and the machine's own copy of the
/// input.
package enum CheckedAnswer: Sendable, Equatable {
    /// - Parameter updatedInput: `nil` if the input is the call's own.
    case allow(updatedInput: JSONValue?, permissions: [JSONValue])
    case deny(message: String?, interrupt: Bool)
    case form(action: String, content: JSONValue?)
}

/// Why an answer is refused.
package struct AnswerRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}

/// Checks the server's answer to a prompt against the rule and this machine's copy of the hook's input, as
/// hooks/lib/answer.awk does.
package struct AnswerCheck {
    let call: PromptCall
    let rule: SettledRule
    /// Whether a path is a directory.
    let isDirectory: (String) -> Bool

    package init(_ call: PromptCall, _ rule: SettledRule, isDirectory: @escaping (String) -> Bool) {
        (self.call, self.rule, self.isDirectory) = (call, rule, isDirectory)
    }

    /// - Parameter output: the `hookSpecificOutput` that a hook would print.
    package func checked(_ output: JSONValue) throws(AnswerRefusal) -> CheckedAnswer {
        guard rule.who == .answer else { throw AnswerRefusal("the machine's file lets nobody answer") }
        guard output.isObject, output["hookEventName"]?.string == call.event else {
            throw AnswerRefusal("an answer to another event")
        }
        switch call.event {
        case "Elicitation": return try form(output)
        case "PermissionRequest": return try decision(output["decision"])
        default: throw AnswerRefusal("an event that nobody can answer")
        }
    }

    private func decision(_ given: JSONValue?) throws(AnswerRefusal) -> CheckedAnswer {
        guard let given, given.isObject else { throw AnswerRefusal("no decision") }
        switch given["behavior"]?.string {
        case "deny":
            // The hooks read the text "true" in the same way.
            let interrupts = given["interrupt"] == .bool(true) || given["interrupt"] == .string("true")
            return .deny(message: given["message"]?.string, interrupt: interrupts)
        case "allow": break
        default: throw AnswerRefusal("a decision that is neither allow nor deny")
        }
        var changes = given["updatedInput"]
        if changes == .null { changes = nil }
        if let changes, !changes.isObject { throw AnswerRefusal("an input that is not an object") }
        let input: JSONValue? =
            switch call.tool {
            case "AskUserQuestion": try answers(changes)
            case "ExitPlanMode": try plan(changes)
            default: try changedInput(changes)
            }
        return .allow(updatedInput: input, permissions: try updates(given["updatedPermissions"]))
    }

    /// The changed input, or `nil` if it is the machine's own input.
    private func changedInput(_ changes: JSONValue?) throws(AnswerRefusal) -> JSONValue? {
        guard let changes, !AnswerCheck.same(changes, call.input) else { return nil }
        guard rule.allowsChangedInput else {
            throw AnswerRefusal("a changed input, which change_input=no forbids")
        }
        return changes
    }

    /// The machine's own input, with the answers to its questions.
    private func answers(_ changes: JSONValue?) throws(AnswerRefusal) -> JSONValue? {
        guard let given = changes?["answers"], case .object(let members) = given else {
            throw AnswerRefusal("no answers to the questions")
        }
        guard let questions = call.input["questions"]?.array else { throw AnswerRefusal("a prompt without questions") }
        var answers: [(String, JSONValue)] = []
        var notes: [(String, JSONValue)] = []
        for question in questions.compactMap({ $0["question"]?.string }) {
            if let answer = given[question] { answers.append((question, .string(try AnswerCheck.words(answer)))) }
            if let note = changes?["annotations"]?[question]?["notes"], note.string != nil {
                notes.append((question, .object([("notes", note)])))
            }
        }
        guard !answers.isEmpty, answers.count == members.count else {
            throw AnswerRefusal("an answer to a question that was not asked")
        }
        var own = ownMembers(but: ["answers", "annotations"])
        own.append(("answers", .object(answers)))
        if !notes.isEmpty { own.append(("annotations", .object(notes))) }
        return .object(own)
    }

    /// An answer as the terminal writes it: several labels are one string.
    private static func words(_ answer: JSONValue) throws(AnswerRefusal) -> String {
        if let text = answer.string { return text }
        let labels = answer.array ?? []
        let texts = labels.compactMap(\.string)
        guard !labels.isEmpty, texts.count == labels.count else { throw AnswerRefusal("an answer that is not text") }
        return texts.joined(separator: ", ")
    }

    private func ownMembers(but names: Set<String>) -> [(String, JSONValue)] {
        guard case .object(let members) = call.input else { return [] }
        return members.filter { !names.contains($0.0) }
    }

    /// The machine's own input, with the plan as the person edited it.
    private func plan(_ changes: JSONValue?) throws(AnswerRefusal) -> JSONValue? {
        guard let edited = changes?["plan"], edited.string != nil,
            !AnswerCheck.same(edited, call.input["plan"] ?? .null)
        else {
            return call.input
        }
        guard call.input["plan"] != nil else { throw AnswerRefusal("a plan where none was asked about") }
        return .object(ownMembers(but: ["plan"]) + [("plan", edited)])
    }

    /// An answer to a form. It may contain only fields of the form.
    private func form(_ output: JSONValue) throws(AnswerRefusal) -> CheckedAnswer {
        let action = output["action"]?.string ?? ""
        if action == "decline" || action == "cancel" { return .form(action: action, content: nil) }
        guard action == "accept" else {
            throw AnswerRefusal("an action that is none of accept, decline and cancel")
        }
        guard let content = output["content"] else { return .form(action: action, content: nil) }
        guard case .object(let members) = content else {
            throw AnswerRefusal("a form's content that is not an object")
        }
        let schema = call.hook["requested_schema"]?["properties"]
        for (name, value) in members {
            guard let field = schema?[name] else { throw AnswerRefusal("a field that the form does not have") }
            guard AnswerCheck.fits(value, field["type"]?.string) else {
                throw AnswerRefusal("a field that is not of the form's type")
            }
        }
        return .form(action: action, content: content)
    }

    private static func fits(_ value: JSONValue, _ type: String?) -> Bool {
        switch (type, value) {
        case ("boolean", .bool), ("number", .integer), ("number", .number), ("integer", .integer): true
        case ("array", .array(let values)): values.allSatisfy { $0.string != nil }
        case ("boolean", _), ("number", _), ("integer", _), ("array", _): false
        default: value.string != nil
        }
    }

    /// Whether two values are equal. Members may be in any order. Texts are equal if their bytes are: Swift's `==`
    /// takes different spellings of a character for the same.
    static func same(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.object(let members), .object(let others)):
            members.count == others.count
                && members.allSatisfy { name, value in
                    let found = others.last { $0.0.utf8.elementsEqual(name.utf8) }
                    return found.map { same(value, $0.1) } ?? false
                }
        case (.string(let text), .string(let other)): text.utf8.elementsEqual(other.utf8)
        case (.array(let values), .array(let others)):
            values.count == others.count && zip(values, others).allSatisfy { same($0, $1) }
        default: one == other
        }
    }
}
