internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Signing

/// Answers project chats by sessions of Claude Code on the machines. May be used on any thread.
package struct ProjectChats: Sendable {
    let chats: ChatService
    let ports: ProjectPorts
    let busy = BusySessions()

    package init(_ chats: ChatService, _ ports: ProjectPorts) {
        (self.chats, self.ports) = (chats, ports)
    }

    /// The turn that answers the request: a new one, or the one of an earlier request that this one repeats.
    func run(_ json: JSONValue, _ call: ChatService.Call, by principal: Principal)
        async throws(APIError) -> ChatObserver
    {
        var request = try ProjectRequest(json)
        request.chat.model = try chats.settings.model(request.chat.model, for: principal)
        var target = try await target(of: request, for: principal)
        let place = ChatRuns.Place(
            caller: principal.auditName,
            digest: Digest.sha256(call.body),
            key: call.idempotencyKey
        )
        if let run = try await chats.known(call, place, request.chat, isLostAtEnd: true) {
            return chats.observe(run, by: principal, having: .control)
        }
        try await chats.checkBudget(of: principal)
        guard ports.isConnected(target.machine) else { throw ChatRefusal.away(target.machineName) }
        if target.session == nil { target.session = await continued(request, target, by: principal) }
        let sessionID = target.session?.id ?? ProjectChats.newID()
        guard busy.enter(sessionID) else { throw ChatRefusal.busy }
        do throws(APIError) {
            if let session = target.session { try requireFree(session) }
            let turn = try await begin(request, call, place, target, sessionID, by: principal)
            return carryOut(turn, at: place, for: principal)
        } catch {
            busy.leave(sessionID)
            throw error
        }
    }

    func requireFree(_ session: Session) throws(APIError) {
        switch ports.activity(session.id, session.machine) {
        case .busy?, .asking?: throw ChatRefusal.busy
        case .terminal?: throw ChatRefusal.runElsewhere
        case .idle?: return
        // It starts again, unless another program has it.
        case nil: guard session.endedAt != nil || session.runner == .agent else { throw ChatRefusal.runElsewhere }
        }
    }

    /// Stores the turn before anything is sent.
    private func begin(
        _ request: ProjectRequest,
        _ call: ChatService.Call,
        _ place: ChatRuns.Place,
        _ target: ProjectTarget,
        _ sessionID: String,
        by principal: Principal
    ) async throws(APIError) -> ProjectTurn {
        let turn = ProjectTurn(
            id: ProjectChats.newID(),
            request: request,
            target: target,
            sessionID: sessionID,
            responder: Responder(principal),
            keepsAnswer: chats.settings.keepsAnswers && call.idempotencyKey != nil,
            beganAt: chats.clock()
        )
        let row = NewChatTurn(
            id: turn.id,
            caller: place.caller,
            digest: place.digest,
            idempotencyKey: call.idempotencyKey,
            machine: target.machine,
            model: request.chat.model,
            at: turn.beganAt,
            sessionID: sessionID,
            projectID: target.projectID,
            estimate: chats.estimate(sent: request.text.utf8.count, written: 0, by: request.chat.model)
        )
        let isNew = try await chats.database.use { store throws(PersistenceError) in try await store.begin(row) }
        guard isNew else { throw ChatRefusal.lost }
        return turn
    }

    private func carryOut(_ turn: ProjectTurn, at place: ChatRuns.Place, for principal: Principal) -> ChatObserver {
        let run = ChatRun(turn.answer) { [ports] in
            guard turn.request.chat.continuesAlone == false else { return }
            try? await ports.interrupt(turn.sessionID, turn.responder)
        }
        let observer = chats.observe(run, by: principal, having: .control)
        chats.runs.add(run, at: place)
        Task { await carryOut(turn, run) }
        return observer
    }

    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return EventID.version4(using: &random).description
    }
}
