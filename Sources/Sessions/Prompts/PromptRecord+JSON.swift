internal import EventModel
public import JSON

extension PromptRecord {
    /// The prompt in the REST API.
    public static let shape = ObjectShape<PromptRecord>("Prompt") { it in
        it.member("id") { $0.prompt.id }
        it.word("kind") { $0.prompt.kind }
        it.word("state") { $0.prompt.state }
        it.member("session_id") { $0.prompt.sessionID }
        it.member("machine_id") { $0.reportedMachineName ?? $0.machineName }
        it.member("machine_name") { $0.machineName }
        it.member("workspace_id") { $0.prompt.workspaceID }
        it.memberOrNull("agent_id") { $0.prompt.agentID }
        it.member("tool_name") { $0.prompt.toolName }
        it.member("tool_use_id") { $0.prompt.toolUseID }
        it.member("title") { $0.prompt.title }
        it.member("detail") { $0.prompt.detail }
        it.member("question") { $0.prompt.question }
        it.member("opened_at") { $0.prompt.openedAt }
        it.member("closed_at") { $0.prompt.closedAt }
        it.member("answerable") { _ in false }
        it.object("answer", Answer.shape) { Answer($0.prompt) }
        it.list("life", of: Step.shape) { Step.all(of: $0.prompt) }
    }

    private struct Answer {
        let answerer: Prompt.Answerer
        let decision: Prompt.Decision?
        let at: Timestamp

        /// Returns `nil` if the prompt has no answer.
        init?(_ prompt: Prompt) {
            guard let answerer = prompt.answeredBy, let at = prompt.closedAt else { return nil }
            (self.answerer, decision, self.at) = (answerer, prompt.decision, at)
        }

        static let shape = ObjectShape<Answer> { it in
            it.word("decision") { $0.decision }
            it.object("by") { it in it.word("kind") { $0.answerer } }
            it.member("at") { $0.at }
        }
    }

    /// A step in the life of the prompt, as shown by an event.
    private struct Step {
        let name: String
        let at: Timestamp
        let evidence: EventID?

        static func all(of prompt: Prompt) -> [Step] {
            let opened = Step(name: "opened", at: prompt.openedAt, evidence: prompt.openedBy)
            let closed = prompt.closedAt.map { Step(name: prompt.state.rawValue, at: $0, evidence: prompt.evidence) }
            return [opened] + (closed.map { [$0] } ?? [])
        }

        static let shape = ObjectShape<Step> { it in
            it.member("step") { $0.name }
            it.member("at") { $0.at }
            it.member("evidence") { $0.evidence?.description }
        }
    }
}
