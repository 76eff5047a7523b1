internal import EventModel
package import HTTPModel
package import JSON
package import Sessions

/// Decides whether an answer fits a hook's request, and what the hook prints for it.
///
/// Claude Code ignores an `allow` without `updatedInput` for questions and plans, and denies one without `questions`.
/// So `updatedInput` is made here from the hook's own input and the answer, never from what a client sends whole.
package struct AnswerRules: Sendable {
    /// The reason that the model gets if a person gives none.
    static let refusal = "The user denied this from another device."

    let kind: Prompt.Kind
    /// The hook's object, unmasked.
    let hook: JSONValue
    /// The hook's object as people see it, with secrets masked.
    let shown: JSONValue
    let policy: HoldPolicy
    /// Whether a person has seen the whole request.
    let isWhole: Bool
    /// Whether the person who answers has seen a part of the request only masked.
    let hasUnseen: Bool

    /// - Parameter shown: `nil` if nothing is masked.
    package init(
        kind: Prompt.Kind,
        hook: JSONValue,
        shown: JSONValue? = nil,
        policy: HoldPolicy,
        isWhole: Bool = true,
        hasUnseen: Bool = false
    ) {
        (self.kind, self.hook, self.shown) = (kind, hook, shown ?? hook)
        (self.policy, self.isWhole, self.hasUnseen) = (policy, isWhole, hasUnseen)
    }

    var input: JSONValue { hook["tool_input"] ?? .object([]) }
    var toolName: String { hook["tool_name"]?.string ?? "" }

    package func decision(for body: AnswerBody) throws(APIError) -> HookDecision {
        let decision = try uncheckedDecision(for: body)
        guard decision.decision == .deny || isWhole else {
            throw .unfit("The request is too large to be shown whole, so it can only be denied.", "decision")
        }
        guard decision.decision == .deny || !hasUnseen || !isRun else { throw .notShown }
        return decision
    }

    /// Whether Claude Code acts on the input itself. Of a question and a form it takes the answers alone.
    private var isRun: Bool { kind == .permission || kind == .plan }

    private func uncheckedDecision(for body: AnswerBody) throws(APIError) -> HookDecision {
        switch kind {
        case .permission: try permission(body)
        case .question: try question(body)
        case .plan: try plan(body)
        case .elicitation: try elicitation(body)
        case .input: throw .unfit("The session waits for a message: POST /v1/sessions/{id}/input.")
        }
    }

    private func permission(_ body: AnswerBody) throws(APIError) -> HookDecision {
        try refuse(body.answers != nil, "answers")
        try refuse(body.action != nil || body.content != nil, "action")
        try refuse(body.plan != nil, "plan")
        try refuse(body.mode != nil, "mode")
        guard let decision = body.decision else { throw .unfit("'decision' is missing: allow or deny.", "decision") }
        guard decision == .allow else { return try denial(body) }
        try refuse(body.isInterrupt, "interrupt")
        if body.updatedInput != nil, !policy.terms.allowsChangedInput {
            throw .unfit("The machine's own rules do not allow a changed input.", "updated_input")
        }
        let permissions = try PermissionChoices(rules: self).permissions(for: body)
        return .allow(updatedInput: body.updatedInput, permissions: permissions)
    }

    private func question(_ body: AnswerBody) throws(APIError) -> HookDecision {
        if body.decision == .deny { return try denial(body) }
        try refuse(body.updatedInput != nil, "updated_input")
        try refuse(body.scope != nil && body.scope != .once, "scope")
        try refuse(!body.permissions.isEmpty, "permissions")
        try refuse(body.isInterrupt, "interrupt")
        guard let answers = body.answers, !answers.isEmpty else {
            throw .unfit("'answers' is missing: an object from questions to labels or texts.", "answers")
        }
        let questions = AskedQuestion.all(asked: input, shown: shown["tool_input"])
        guard !questions.isEmpty else {
            throw .unfit("The session asked without questions. Answer at the terminal.")
        }
        var chosen: [(String, JSONValue)] = []
        for (text, labels) in answers {
            guard let question = questions.first(where: { $0.isNamed(text) }) else {
                throw .unfit("'answers' names a question that was not asked.", "answers")
            }
            guard labels.count == 1 || question.takesSeveral else {
                throw .unfit("'answers' gives several labels for a question that takes one.", "answers")
            }
            chosen.append((question.text, .string(labels.map(question.label).joined(separator: ", "))))
        }
        var updated = input.setting("answers", .object(chosen))
        if !body.notes.isEmpty { updated = updated.setting("annotations", .object(try annotations(body, questions))) }
        return .allow(updatedInput: updated, permissions: [])
    }

    private func annotations(
        _ body: AnswerBody,
        _ questions: [AskedQuestion]
    ) throws(APIError) -> [(String, JSONValue)] {
        var notes: [(String, JSONValue)] = []
        for (text, note) in body.notes {
            guard let question = questions.first(where: { $0.isNamed(text) }) else {
                throw .unfit("'notes' names a question that was not asked.", "notes")
            }
            notes.append((question.text, .object([("notes", .string(note))])))
        }
        return notes
    }

    private func plan(_ body: AnswerBody) throws(APIError) -> HookDecision {
        try refuse(body.answers != nil, "answers")
        try refuse(body.updatedInput != nil, "updated_input")
        try refuse(body.scope != nil && body.scope != .once, "scope")
        guard let decision = body.decision else { throw .unfit("'decision' is missing: allow or deny.", "decision") }
        guard decision == .allow else { return try denial(body) }
        try refuse(body.isInterrupt, "interrupt")
        try refuse(!body.permissions.isEmpty, "permissions")
        if let mode = body.mode {
            guard PromptTerms.Mode(rawValue: mode) != nil else {
                throw .unfit("'mode' must be default or acceptEdits.", "mode")
            }
            try checkMode(mode, "mode")
        }
        var updated = input
        if let plan = body.plan { updated = updated.setting("plan", .string(plan)) }
        let mode = body.mode == "acceptEdits" ? [PermissionChoices.acceptEdits] : []
        return .allow(updatedInput: updated, permissions: mode)
    }

    /// Throws if the machine's own rules do not let devices answer for all that the mode permits.
    func checkMode(_ mode: String?, _ name: String) throws(APIError) {
        guard policy.terms.modes.contains(where: { $0.rawValue == mode }) else {
            throw .unfit("The machine's own rules let no device answer for all that acceptEdits permits.", name)
        }
    }

    private func elicitation(_ body: AnswerBody) throws(APIError) -> HookDecision {
        try refuse(body.answers != nil, "answers")
        try refuse(body.updatedInput != nil, "updated_input")
        guard let action = body.action, ["accept", "decline", "cancel"].contains(action) else {
            throw .unfit("'action' must be accept, decline or cancel.", "action")
        }
        guard action == "accept" else {
            try refuse(body.content != nil, "content")
            return .elicitation(action: action, content: nil)
        }
        let content = body.content ?? .object([])
        if let schema = hook["requested_schema"] { try FormSchema(schema).check(content) }
        return .elicitation(action: action, content: content)
    }

    private func denial(_ body: AnswerBody) throws(APIError) -> HookDecision {
        try refuse(body.updatedInput != nil, "updated_input")
        try refuse(!body.permissions.isEmpty, "permissions")
        try refuse(body.scope != nil && body.scope != .once, "scope")
        let message = body.message.flatMap { $0.isEmpty ? nil : $0 } ?? AnswerRules.refusal
        return .deny(message: message, isInterrupt: body.isInterrupt)
    }

    private func refuse(_ isGiven: Bool, _ name: String) throws(APIError) {
        if isGiven { throw .unfit("'\(name)' does not fit this answer.", name) }
    }
}
