internal import ClaudeRunner
internal import JSON

/// Files and conversation go back to their state before a message.
extension Agent {
    private static let mostFiles = 1000

    func rewind(_ rewind: AgentCommand.Rewind, in session: ClaudeSession, _ key: String) async throws -> JSONValue {
        guard await session.snapshot.state == .idle else {
            throw CommandRefusal(.busy, "The session works. Interrupt it first.")
        }
        var result: [(String, JSONValue)] = [("dry_run", .bool(rewind.isDryRun))]
        if rewind.files {
            // Also before a rewind, so that the answer says what it has changed.
            let plan = try await ask(.rewindFiles(userMessageID: rewind.message, dryRun: true), session)
            guard plan["canRewind"]?.bool != false else {
                throw CommandRefusal(
                    .cannotRewind,
                    "Claude Code cannot rewind: \(plan["error"]?.string ?? "no reason")."
                )
            }
            let files = (plan["filesChanged"]?.array ?? []).prefix(Agent.mostFiles)
            result.append(("files", .array(Array(files.filter { $0.string != nil }))))
            for (name, member) in [("insertions", "insertions"), ("deletions", "deletions")] {
                if let count = plan[member]?.integer { result.append((name, .integer(count))) }
            }
            if !rewind.isDryRun {
                _ = try await ask(.rewindFiles(userMessageID: rewind.message, dryRun: false), session)
            }
        }
        if rewind.conversation, !rewind.isDryRun {
            let reply = try await ask(.rewindConversation(messageID: rewind.message), session)
            guard reply["rewound"]?.bool != false else {
                throw CommandRefusal(.cannotRewind, "Claude Code has not rewound the conversation.")
            }
            if let text = reply["prefillText"]?.string { result.append(("text", .string(text))) }
        }
        return .object(result)
    }

    private func ask(_ request: ControlRequest, _ session: ClaudeSession) async throws -> JSONValue {
        do throws(ClaudeError) {
            return try await session.request(request)
        } catch .refused(let reason) {
            throw CommandRefusal(.cannotRewind, "Claude Code cannot rewind: \(reason.prefix(300))")
        }
    }
}
