internal import Agents
internal import HTTPModel
internal import Messages
internal import Sessions

/// What the log is told of the sessions that an agent reports.
extension AgentWorker {
    /// If the server or the agent ended before the start of a session was answered, nothing is known of the session
    /// yet. People must see it to end it.
    func tellBeginning(_ session: AgentSession) {
        context.task(for: link.machine) { [self] in
            while !Task.isCancelled, context.agents.links.session(session.id, on: link.machine) != nil {
                do throws(APIError) {
                    _ = try await context.messages.session(session.id)
                    return
                } catch {
                    guard error == .sessionNotFound else {
                        // The database is away.
                        try? await Task.sleep(for: .seconds(AgentWorker.retrySeconds))
                        continue
                    }
                    var begun = SessionChange()
                    (begun.runner, begun.permissionMode) = (session.hasTerminal ? .terminal : .agent, session.mode)
                    return submit(begun, named: "begun \(session.id)", in: session.id, at: session.directory)
                }
            }
        }
    }

    /// Claude Code goes on under another id after `/clear`: both sessions say so.
    func tellContinuation(_ session: AgentSession) {
        guard let earlier = session.continues, earlier != session.id else { return }
        var begun = SessionChange()
        (begun.runner, begun.continues, begun.permissionMode) = (.agent, earlier, session.mode)
        submit(begun, named: "continues \(earlier) \(session.id)", in: session.id, at: session.directory)
        var left = SessionChange()
        left.continuedBy = session.id
        submit(left, named: "continued by \(session.id) \(earlier)", in: earlier)
    }

    /// That the process has ended to save memory, or has started again.
    ///
    /// - Parameter before: what the agent last said; without it, what the log says counts.
    func tellParking(_ session: AgentSession, before: AgentSession?) {
        var change = SessionChange()
        change.isParked = session.isParked
        if let before {
            if before.isParked != session.isParked { submit(change, in: session.id) }
            return
        }
        context.task(for: link.machine) { [self, change] in
            guard let known = try? await context.messages.session(session.id), known.machine == link.machine,
                known.isParked != session.isParked
            else { return }
            submit(change, in: session.id)
        }
    }
}
