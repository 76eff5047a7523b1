package import API
package import EventModel
package import HTTPModel
package import JSON
package import Persistence
internal import Signing
internal import Synchronization

/// Answers plain chats by the machines' agents. May be used on any thread.
package struct ChatService: Sendable {
    /// A turn as it is given to a machine.
    package struct Turn: Sendable {
        package let id: String
        package let request: ChatRequest
        package let actor: Actor
    }

    /// What other parts of the server do for this one.
    package struct Ports: Sendable {
        /// The number of chats that a machine answers at a time; `nil` if its agent is not connected here.
        let allowed: @Sendable (MachineID) -> Int?
        /// Answers a turn; gives each piece of the text before it returns the agent's report of the end.
        let answer:
            @Sendable (Turn, MachineID, _ onText: @escaping @Sendable (String) -> Void) async throws(APIError)
                -> JSONValue
        /// Ends a turn; `answer` then returns.
        let end: @Sendable (Turn, MachineID) async -> Void
        /// US dollars for tokens of a model.
        let price: @Sendable (_ model: String?, RequestTokens) -> Double
        /// Whether the sender still has the capability.
        let admits: @Sendable (Principal, Capability) -> Bool

        package init(
            allowed: @escaping @Sendable (MachineID) -> Int?,
            answer:
                @escaping @Sendable (Turn, MachineID, @escaping @Sendable (String) -> Void) async throws(APIError)
                -> JSONValue,
            end: @escaping @Sendable (Turn, MachineID) async -> Void,
            price: @escaping @Sendable (String?, RequestTokens) -> Double,
            admits: @escaping @Sendable (Principal, Capability) -> Bool
        ) {
            (self.allowed, self.answer, self.end) = (allowed, answer, end)
            (self.price, self.admits) = (price, admits)
        }
    }

    /// Seconds for which a lost turn is looked for, when a client says that it repeats a request.
    private static let repeatSeconds = 900.0

    let database: any StoreAccess
    let ports: Ports
    /// The machines that answer if the key names none, in order.
    let machines: [String]
    /// Whether answers may be stored, for repeats with an idempotency key.
    let keepsAnswers: Bool
    let clock: @Sendable () -> Timestamp
    let runs = ChatRuns()

    package init(
        database: any StoreAccess,
        ports: Ports,
        machines: [String],
        keepsAnswers: Bool,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.database, self.ports, self.machines) = (database, ports, machines)
        (self.keepsAnswers, self.clock) = (keepsAnswers, clock)
    }

    /// How one request came.
    package struct Call: Sendable {
        let body: [UInt8]
        let idempotencyKey: String?
        /// The client says that it has sent the same request before.
        let isRepeat: Bool
    }

    /// The turn that answers the request: a new one, or the one of an earlier request that this one repeats.
    package func run(_ call: Call, by principal: Principal) async throws(APIError) -> ChatObserver {
        var request = try ChatRequest(call.body)
        request.model = try ChatService.model(request.model, for: principal)
        let caller = principal.auditName
        let place = ChatRuns.Place(caller: caller, digest: Digest.sha256(call.body))
        if let run = try await known(call, place, request) { return observe(run, by: principal, having: .chat) }
        try await checkBudget(of: principal)
        let machine = try await machine(for: principal)
        return try await begin(request, call, place, on: machine, by: principal)
    }

    private func begin(
        _ request: ChatRequest,
        _ call: Call,
        _ place: ChatRuns.Place,
        on machine: MachineID,
        by principal: Principal
    ) async throws(APIError) -> ChatObserver {
        var random = SystemRandomNumberGenerator()
        let now = clock()
        let turn = Turn(
            id: EventID.version4(using: &random).description,
            request: request,
            actor: Responder(principal).actor
        )
        let row = NewChatTurn(
            id: turn.id,
            caller: place.caller,
            digest: place.digest,
            idempotencyKey: call.idempotencyKey,
            machine: machine,
            model: request.model,
            at: now
        )
        let isNew = try await database.use { store throws(PersistenceError) in try await store.begin(row) }
        guard isNew else { throw ChatRefusal.lost }
        let run = ChatRun(ChatService.answer(turn, now)) { [ports] in
            if turn.request.continuesAlone != true { await ports.end(turn, machine) }
        }
        // Before others can find the turn: one that nobody waits for may be joined.
        let observer = observe(run, by: principal, having: .chat)
        runs.add(run, at: place)
        let keepsAnswer = keepsAnswers && call.idempotencyKey != nil
        Task { await carryOut(turn, run, on: machine, keepsAnswer: keepsAnswer) }
        return observer
    }

    /// - Parameter capability: the right without which the request has no answer any more.
    func observe(_ run: ChatRun, by principal: Principal, having capability: Capability) -> ChatObserver {
        ChatObserver(run) { [ports] in ports.admits(principal, capability) }
    }

    private func carryOut(_ turn: Turn, _ run: ChatRun, on machine: MachineID, keepsAnswer: Bool) async {
        let outcome: ChatOutcome
        var usage: ChatUsage?
        do throws(APIError) {
            let report = try await ports.answer(turn, machine) { run.add($0) }
            outcome = ChatOutcome(report)
            usage = ChatUsage(endOf: report, price: ports.price)
        } catch {
            outcome = .failed(error)
        }
        let (text, now) = (run.text, clock())
        // Without the row, the caller's budget would not know of the turn.
        try? await database.use { store throws(PersistenceError) in
            try await store.end(chat: turn.id, outcome, usage, answer: keepsAnswer ? text : nil, at: now)
        }
        run.finish(outcome.final)
        runs.ended(run)
    }

    private static func answer(_ turn: Turn, _ now: Timestamp) -> ChatAnswer {
        ChatAnswer(
            id: answerID(turn.id),
            created: now.microseconds / 1_000_000,
            model: turn.request.model,
            includesUsage: turn.request.includesUsage
        )
    }
}

extension ChatService {
    /// As OpenAI's answers have it.
    static func answerID(_ turn: String) -> String { "chatcmpl-" + turn.filter { $0 != "-" } }

    /// The turn of an earlier request that this one repeats.
    ///
    /// - Parameter isLostAtEnd: whether a turn whose answer is not known here counts as run although it has ended.
    func known(
        _ call: Call,
        _ place: ChatRuns.Place,
        _ request: ChatRequest,
        isLostAtEnd: Bool = false
    ) async throws(APIError) -> ChatRun? {
        if let key = call.idempotencyKey { return try await earlier(key, place, request) }
        if let run = runs.joinable(place, isRepeat: call.isRepeat) { return run }
        if call.isRepeat { try await refuseLost(place, isLostAtEnd) }
        return nil
    }

    /// A repeat with the same idempotency key: the turn that runs, or the answer that was kept.
    private func earlier(
        _ key: String,
        _ place: ChatRuns.Place,
        _ request: ChatRequest
    ) async throws(APIError) -> ChatRun? {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, idempotencyKey: key)
        }
        guard let row = found else { return nil }
        guard row.digest == place.digest else { throw ChatRefusal.keyReused }
        if let run = runs.joinable(place, isRepeat: true) { return run }
        guard let text = row.answer, let outcome = row.outcome else { throw ChatRefusal.lost }
        var answer = ChatAnswer(
            id: ChatService.answerID(row.id),
            created: row.beganAt.microseconds / 1_000_000,
            model: row.model,
            includesUsage: request.includesUsage
        )
        answer.session = row.sessionID.map { ChatAnswerSession(id: $0, projectID: row.projectID) }
        let run = ChatRun(answer) {}
        run.add(text)
        run.finish(row.outcome(outcome))
        return run
    }

    /// The server was started anew, or another server has the turn: it must not run a second time.
    private func refuseLost(_ place: ChatRuns.Place, _ isLostAtEnd: Bool) async throws(APIError) {
        let since = clock().adding(seconds: -ChatService.repeatSeconds)
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, digest: place.digest, since: since)
        }
        if let found, isLostAtEnd || !found.hasEnded { throw ChatRefusal.lost }
    }

    /// The budget is of a day in UTC. Turns that run at the same time may exceed it together.
    func checkBudget(of principal: Principal) async throws(APIError) {
        guard let budget = principal.apiKey?.dailyBudget else { return }
        let now = clock()
        let day: Int64 = 86_400_000_000
        let since = Timestamp(microseconds: now.microseconds / day * day)
        let caller = principal.auditName
        let spent = try await database.use { store throws(PersistenceError) in
            try await store.spentOnChats(by: caller, since: since)
        }
        guard spent < budget else { throw ChatRefusal.budget }
    }

    static func model(_ name: String?, for principal: Principal) throws(APIError) -> String? {
        guard let allowed = principal.apiKey?.models else { return name }
        guard let name else { return allowed.first }
        guard allowed.contains(name) else { throw ChatRefusal.model(name, allowed) }
        return name
    }

    /// Those of the key count before those of the server's configuration.
    private func machine(for principal: Principal) async throws(APIError) -> MachineID {
        var candidates: [MachineID] = []
        if case .only(let own)? = principal.grants.machines(of: .chat) {
            candidates = own.sorted { $0.rawValue < $1.rawValue }
        } else {
            for name in machines {
                if let machine = try await database.machine(named: name) { candidates.append(machine) }
            }
        }
        guard !candidates.isEmpty else { throw ChatRefusal.noMachine }
        let connected = candidates.compactMap { machine in ports.allowed(machine).map { (machine, $0) } }
        guard !connected.isEmpty else { throw ChatRefusal.away }
        guard let machine = connected.first(where: { $0.1 > 0 })?.0 else { throw ChatRefusal.notAllowed }
        return machine
    }
}

extension ChatTurnRow {
    fileprivate func outcome(_ word: String) -> ChatOutcome {
        var usage: ChatUsage?
        if let promptTokens, let completionTokens {
            usage = ChatUsage(RequestTokens(input: promptTokens, output: completionTokens), cost: cost)
        }
        return .finished(ChatResult(finishReason: word, model: model, usage: usage))
    }
}

extension ChatOutcome {
    /// No error of a turn that has begun is worth a repeat.
    var final: ChatOutcome {
        guard case .failed(let error) = self else { return self }
        return .failed(error.final)
    }
}
