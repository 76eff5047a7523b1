internal import API
package import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// Tells the machines' agents when sessions begin and stop, and which are erased.
extension AgentService {
    private static let itself = Actor(kind: "server")
    /// Seconds between tries, if the agent has too much to do.
    private static let pause = 2.0
    private static let tries = 3
    /// Seconds for which a set is left alone: the log may not have its session yet.
    private static let settledSeconds: Int64 = 600

    /// What happened in a session that its machine's agent should know.
    package enum Occasion: Sendable {
        /// - Parameter isLate: it may have changed something already.
        case began(directory: String, at: Timestamp?, isLate: Bool)
        /// - Parameter isKnown: the agent knows it, because it runs the session.
        case stopped(isKnown: Bool)
    }

    /// - Parameters:
    ///   - name: Claude Code's own id of the session.
    ///   - id: that of the log.
    package func tell(_ occasion: Occasion, of name: String, _ id: String, to link: AgentLink) async {
        if case .stopped(isKnown: true) = occasion { return await remember(name, id, on: link) }
        guard await pass(on: occasion, of: name, to: link), case .stopped = occasion else { return }
        await remember(name, id, on: link)
    }

    /// Reads what the session had changed at its last stop, to show it while the agent is away.
    private func remember(_ name: String, _ id: String, on link: AgentLink) async {
        var request = ChangeRequest()
        request.at = "stop"
        let arguments = request.arguments(session: name, hasEnded: false)
        let command = AgentCommand("changes/get", id: newID(), by: AgentService.itself, arguments)
        guard let answer = try? await link.call(command, seconds: AgentService.changeSeconds),
            let set = try? SessionChangeSet(answer)
        else { return }
        await told.note(set, of: id, now: clock())
    }

    /// - Returns: whether the agent has taken the state.
    private func pass(on occasion: Occasion, of name: String, to link: AgentLink) async -> Bool {
        let session = [("session_id", JSONValue.string(name) as JSONValue?)]
        let (method, arguments): (String, [(String, JSONValue?)]) =
            switch occasion {
            case .began(let directory, let time, let isLate):
                (
                    "changes/begin",
                    [
                        ("path", .string(directory)), ("late", .bool(isLate)),
                        ("started_at", time.map { .integer($0.microseconds / 1000) }),
                    ]
                )
            case .stopped: ("changes/stop", [])
            }
        for attempt in 1...AgentService.tries {
            let command = AgentCommand(method, id: newID(), by: AgentService.itself, session + arguments)
            do throws(APIError) {
                return try await link.call(command, seconds: AgentService.changeSeconds)["taken"]?.bool == true
            } catch {
                // A refusal stands: the machine's file says so, or there is no repository.
                guard error.status == 429, attempt < AgentService.tries else { return false }
                try? await Task.sleep(for: .seconds(AgentService.pause))
            }
        }
        return false
    }

    /// Has all agents forget the change sets of sessions that were erased.
    package func forgetChanges(of sessions: [String]) async {
        // A set may have come while the sessions were erased.
        await told.forget(sessions)
        let names = sessions.map { id in id.firstIndex(of: "@").map { String(id[..<$0]) } ?? id }
        guard !names.isEmpty else { return }
        for link in links.all { await erase(await erased(names, of: link), on: link) }
    }

    /// Has an agent that was away forget what was erased meanwhile.
    package func forgetErasedChanges(on link: AgentLink) async {
        guard link.may.git != "off" else { return }
        let command = AgentCommand(
            "changes/list",
            id: newID(),
            by: AgentService.itself,
            [("unused_seconds", .integer(AgentService.settledSeconds))]
        )
        guard let answer = try? await link.call(command, seconds: AgentService.commandSeconds) else { return }
        let names = (answer["sessions"]?.array ?? []).compactMap(\.string)
            .filter { links.session($0, on: link.machine) == nil }
        await erase(await erased(names, of: link), on: link)
    }

    private func erased(_ names: [String], of link: AgentLink) async -> [String] {
        let erased = try? await database.use { store throws(PersistenceError) in
            try await store.erasedSessions(among: names, of: link.machine)
        }
        return erased ?? []
    }

    private func erase(_ names: [String], on link: AgentLink) async {
        var rest = names[...]
        while !rest.isEmpty {
            let sessions = rest.prefix(500).map(JSONValue.string)
            rest = rest.dropFirst(500)
            let command = AgentCommand(
                "changes/erase",
                id: newID(),
                by: AgentService.itself,
                [("sessions", .array(sessions))]
            )
            _ = try? await link.call(command, seconds: AgentService.commandSeconds)
        }
    }
}
