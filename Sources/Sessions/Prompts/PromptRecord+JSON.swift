internal import EventModel
package import JSON

extension PromptRecord {
    /// The prompt in the REST API.
    package static let shape = ObjectShape<PromptRecord>("Prompt") { it in
        it.member("id") { $0.prompt.id }
        it.word("kind") { $0.prompt.kind }
        it.word("state") { $0.prompt.state }
        it.memberOrNull("session_id") { $0.prompt.machine == .monitor ? nil : $0.prompt.sessionID }
        it.memberOrNull("machine_id") { $0.shownMachine($0.reportedMachineName ?? $0.machineName) }
        it.memberOrNull("machine_name") { $0.shownMachine($0.machineName) }
        it.member("workspace_id") { $0.prompt.workspaceID }
        it.memberOrNull("agent_id") { $0.prompt.agentID }
        it.member("tool_name") { $0.prompt.toolName }
        it.member("tool_use_id") { $0.prompt.toolUseID }
        it.object("asked_by", PromptCaller.shape) { $0.caller }
        it.member("title") { $0.prompt.title }
        it.member("detail") { $0.prompt.detail }
        it.member("detail_complete") { $0.prompt.isDetailComplete }
        it.member("question") { $0.prompt.question }
        it.custom("tool_input", JSONSchema.any) { record, writer in
            writer.raw(record.content?.toolInput ?? Array("{}".utf8))
        }
        it.word("risk") { $0.prompt.risk }
        it.member("questions", as: JSONSchema.array(JSONSchema.any)) { $0.content?.questions.map(JSONText.init) }
        it.member("plan") { $0.content?.plan }
        it.member("schema") { $0.content?.schema.map(JSONText.init) }
        it.member("url") { $0.content?.url }
        it.custom("suggestions", JSONSchema.array(JSONSchema.any)) { record, writer in
            writer.raw(record.content?.suggestions ?? Array("[]".utf8))
        }
        it.member("opened_at") { $0.prompt.openedAt }
        it.member("held_until") { $0.heldUntil }
        it.member("closed_at") { $0.prompt.closedAt }
        it.member("answerable") { $0.isAnswerable }
        it.member("always_allowed") { $0.terms?.allowsAlways }
        it.member("change_input_allowed") { $0.terms?.allowsChangedInput }
        it.word("after") { $0.terms?.after }
        it.member("masked") { $0.content?.masked ?? [] }
        it.word("rules_allowed") { $0.terms?.rules }
        it.member("modes_allowed", as: modes) { $0.terms?.modes.map(\.rawValue) }
        it.member("directories_allowed") { $0.terms?.allowsDirectories }
        it.member("content_truncated") { $0.content?.isTruncated ?? false }
        it.object("answer", shownAnswer) { ShownAnswer($0.prompt) }
        it.list("late_answers", of: PromptAnswer.shape) { $0.prompt.lateAnswers }
        it.list("life", of: PromptStep.shape) { record in
            [PromptStep("offered", at: record.prompt.openedAt, evidence: record.prompt.openedBy)] + record.prompt.steps
        }
    }

    /// A call of a remote tool is of no machine.
    private func shownMachine(_ name: String) -> String? { prompt.machine == .monitor ? nil : name }

    private static let modes = JSONSchema.array(JSONSchema.choice(PromptTerms.Mode.allCases.map(\.rawValue)))

    /// The answer that counts. It may also come from the terminal or a rule.
    private struct ShownAnswer {
        let given: PromptAnswer?
        let answerer: Prompt.Answerer
        let decision: Prompt.Decision?
        let at: Timestamp

        /// Returns `nil` if the prompt has no answer.
        init?(_ prompt: Prompt) {
            guard let answerer = prompt.answeredBy, let at = prompt.closedAt else { return nil }
            (given, self.answerer, decision, self.at) = (prompt.answer, answerer, prompt.decision, at)
        }
    }

    private static let shownAnswer = ObjectShape<ShownAnswer> { it in
        it.member("id") { $0.given?.id }
        it.word("decision") { $0.decision }
        it.word("scope") { $0.given?.scope }
        it.object("by") { it in
            it.word("kind") { $0.answerer }
            it.member("id") { $0.given?.deviceID }
            it.member("name") { $0.given?.name }
        }
        it.member("at") { $0.at }
        it.member("said") { $0.given?.said }
        it.word("outcome") { $0.given?.outcome }
    }
}
