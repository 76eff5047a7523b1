internal import EventModel
internal import HTTPModel
internal import Sessions

/// What happens beside the answer: people are asked, and messages are cancelled.
extension ProjectChats {
    private static let lookSeconds = 0.5
    /// Looks between two at a message that no answer follows.
    private static let looksPerMessage = 4

    /// Returns when the task is cancelled.
    func watch(_ turn: ProjectTurn, _ session: Session, _ run: ChatRun) async {
        var told: Set<String> = []
        var looks = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(ProjectChats.lookSeconds))
            guard !Task.isCancelled else { return }
            looks += 1
            if ports.activity(session.id, session.machine) == .asking { await tellPrompts(of: session, run, &told) }
            guard looks % ProjectChats.looksPerMessage == 0, run.pieces.isEmpty,
                await ports.isDropped(turn.id, session.id)
            else { continue }
            await ports.unfollow(turn.id, session, turn.responder)
        }
    }

    private func tellPrompts(of session: Session, _ run: ChatRun, _ told: inout Set<String>) async {
        guard let now = try? await ports.session(session.id) else { return }
        for prompt in now.prompts where prompt.isWaitedFor && told.insert(prompt.id).inserted {
            run.name(ports.model(session.id, session.machine))
            run.add(
                .prompt(
                    ChatPrompt(
                        id: prompt.id,
                        kind: prompt.kind.rawValue,
                        toolName: prompt.toolName,
                        title: prompt.title,
                        detail: prompt.detail
                    )
                )
            )
        }
    }
}
