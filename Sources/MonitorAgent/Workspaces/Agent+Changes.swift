internal import EventModel
internal import GitRunner
internal import Host
internal import JSON
internal import Logging

/// The change sets of the sessions that this agent runs. For those in a terminal the server says when they begin and
/// stop, because it gets the events of their hooks.
extension Agent {
    private static let itself = AgentCommand.Person(kind: "agent")
    /// Seconds for which a session waits for its baseline.
    private static let patience = 4.0

    /// Takes the baseline before Claude Code may change something. If that takes too long, it goes on later, and the
    /// set says so.
    func beginChanges(_ id: String, in directory: String, isLate: Bool) async {
        let session = ChangeStore.Session(
            id: id,
            directory: directory,
            startedAt: SystemClock.now().microseconds / 1000,
            isLate: isLate
        )
        do {
            try await begin(session, seconds: Agent.patience, isFinal: false)
        } catch let refusal as CommandRefusal where refusal.reason == .gitTimeout {
            var late = session
            late.isLate = true
            Task { [late] in try? await begin(late, seconds: SessionChanges.seconds, isFinal: true) }
        } catch {
            logger.info("a session has no baseline", metadata: ["session": "\(id)", "reason": "\(error)"])
        }
    }

    private func begin(_ session: ChangeStore.Session, seconds: Double, isFinal: Bool) async throws {
        let context = workspaceContext(by: Agent.itself, seconds: SessionChanges.seconds)
        let isTaken = try await workspaces.changes.begin(session, seconds: seconds, isFinal: isFinal, context)
        record("baseline", [("session_id", .string(session.id)), ("taken", .bool(isTaken))])
    }

    /// Takes the state of the work tree at the end of a turn.
    func stopChanges(_ id: String) {
        let context = workspaceContext(by: Agent.itself, seconds: SessionChanges.seconds)
        Task { [workspaces, logger] in
            do {
                _ = try await workspaces.changes.stop(id, context)
            } catch {
                logger.info("a state was not taken", metadata: ["session": "\(id)", "reason": "\(error)"])
            }
        }
    }
}
