internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// Turns whose model waits for the results of its calls.
extension ChatService {
    /// Seconds for which a machine keeps such a turn.
    private static let parkedSeconds = 600.0

    /// Seconds between two looks at a credential.
    private static let lookSeconds = 0.25

    /// The machine's process that waits for the results of this request, if there is one.
    func parked(for request: ChatRequest, by principal: Principal) -> ParkedChats.Entry? {
        guard let results = request.results,
            let entry = parkedChats.take(results, of: principal, now: clock()),
            ports.allowed(entry.machine) ?? 0 > 0
        else { return nil }
        return entry
    }

    /// Has the machine answer. If it no longer waits for the results, it is given all that was said.
    ///
    /// - Returns: the agent's report, and the turn as the machine knows it.
    func report(
        of turn: Turn,
        _ run: ChatRun,
        on machine: MachineID
    ) async throws(APIError) -> (JSONValue, Turn) {
        do throws(APIError) {
            return (try await ports.answer(turn, machine, run.add), turn)
        } catch {
            guard let parked = turn.parked else { throw error }
            if ["too_many_chats", "insufficient_quota"].contains(error.code) { park(parked) }
            guard ["session_not_running", "unfit_answer"].contains(error.code) else { throw error }
            var anew = turn
            anew.parked = nil
            return (try await ports.answer(anew, machine, run.add), anew)
        }
    }

    /// Keeps in mind that the turn's model waits. The machine ends it by itself if no results come.
    func park(_ turn: Turn, _ result: ChatResult, on machine: MachineID) {
        let entry = ParkedChats.Entry(
            chat: turn.chatID,
            session: turn.session,
            principal: turn.principal,
            machine: machine,
            digest: turn.request.digest,
            calls: Set(result.calls.map(\.id)),
            deadline: clock().adding(seconds: ChatService.parkedSeconds),
            end: { [ports] in await ports.end(turn, machine) }
        )
        park(entry)
    }

    private func park(_ entry: ParkedChats.Entry) {
        parkedChats.add(entry)
        Task { await watch(entry) }
    }

    /// Ends a turn that is being answered once its sender may not chat any more, also if no request waits for it.
    /// Returns when the task is cancelled.
    func endWhenRevoked(_ turn: Turn, on machine: MachineID) async {
        while !Task.isCancelled, ports.admits(turn.principal, .chat) {
            try? await Task.sleep(for: .seconds(ChatService.lookSeconds))
        }
        if !Task.isCancelled { await ports.end(turn, machine) }
    }

    /// Nobody else may go on with a turn of a revoked key, and the machine need not keep it.
    private func watch(_ entry: ParkedChats.Entry) async {
        while parkedChats.has(entry) {
            try? await Task.sleep(for: .seconds(ChatService.lookSeconds))
            if clock() >= entry.deadline {
                _ = parkedChats.remove(entry)
            } else if !ports.admits(entry.principal, .chat), parkedChats.remove(entry) {
                await entry.end()
            }
        }
    }
}
