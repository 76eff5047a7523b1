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
        let principal: Principal
        /// The turn before, whose model waits for the results that the request has.
        var parked: ParkedChats.Entry?

        /// As the machine names the chat.
        package var chatID: String { parked?.chat ?? id }
        /// For a chat that goes on: objects with `id` and `content`.
        package var results: [JSONValue]? { parked == nil ? nil : request.results?.list }
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
        /// Whether the credential still counts.
        let isAdmitted: @Sendable (Principal) -> Bool

        package init(
            allowed: @escaping @Sendable (MachineID) -> Int?,
            answer:
                @escaping @Sendable (Turn, MachineID, @escaping @Sendable (String) -> Void) async throws(APIError)
                -> JSONValue,
            end: @escaping @Sendable (Turn, MachineID) async -> Void,
            isAdmitted: @escaping @Sendable (Principal) -> Bool
        ) {
            (self.allowed, self.answer, self.end, self.isAdmitted) = (allowed, answer, end, isAdmitted)
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
    let parkedChats = ParkedChats()

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
    package func run(_ call: Call, by principal: Principal) async throws(APIError) -> ChatRun {
        var request = try ChatRequest(call.body)
        request.model = try ChatService.model(request.model, for: principal)
        let caller = principal.auditName
        let place = ChatRuns.Place(caller: caller, digest: Digest.sha256(call.body))
        if let key = call.idempotencyKey {
            if let found = try await earlier(key, place, request) { return found }
        } else if let run = runs.joinable(place, isRepeat: call.isRepeat) {
            return run
        } else if call.isRepeat {
            try await refuseLost(place)
        }
        try await checkBudget(of: principal)
        if let parked = parked(for: request, by: principal) {
            return try await begin(request, call, place, on: parked.machine, by: principal, parked)
        }
        let machine = try await machine(for: principal)
        return try await begin(request, call, place, on: machine, by: principal)
    }

    private func begin(
        _ request: ChatRequest,
        _ call: Call,
        _ place: ChatRuns.Place,
        on machine: MachineID,
        by principal: Principal,
        _ parked: ParkedChats.Entry? = nil
    ) async throws(APIError) -> ChatRun {
        var random = SystemRandomNumberGenerator()
        let now = clock()
        let turn = Turn(
            id: EventID.version4(using: &random).description,
            request: request,
            actor: Responder(principal).actor,
            principal: principal,
            parked: parked
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
        let run = ChatRun(ChatService.answer(turn, now)) { [ports] in await ports.end(turn, machine) }
        runs.add(run, at: place)
        let keepsAnswer = keepsAnswers && call.idempotencyKey != nil
        Task { await carryOut(turn, run, on: machine, keepsAnswer: keepsAnswer) }
        return run
    }

    private func carryOut(_ turn: Turn, _ run: ChatRun, on machine: MachineID, keepsAnswer: Bool) async {
        let outcome: ChatOutcome
        var asked = turn
        do throws(APIError) {
            let report: JSONValue
            (report, asked) = try await self.report(of: turn, run, on: machine)
            outcome = ChatOutcome(report)
        } catch {
            outcome = .failed(error)
        }
        var keepsAnswer = keepsAnswer
        if case .finished(let result) = outcome, !result.calls.isEmpty {
            park(asked, result, on: machine)
            // Calls are not stored.
            keepsAnswer = false
        }
        let (text, now) = (run.text, clock())
        // Without the row, the caller's budget would not know of the turn.
        try? await database.use { store throws(PersistenceError) in
            try await store.end(chat: turn.id, outcome, answer: keepsAnswer ? text : nil, at: now)
        }
        run.finish(outcome.final)
        runs.ended(run)
    }

    private static func answer(_ turn: Turn, _ now: Timestamp) -> ChatAnswer {
        ChatAnswer(
            id: "chatcmpl-" + turn.id.filter { $0 != "-" },
            created: now.microseconds / 1_000_000,
            model: turn.request.model,
            includesUsage: turn.request.includesUsage
        )
    }
}

extension ChatService {
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
        let answer = ChatAnswer(
            id: "chatcmpl-" + row.id.filter { $0 != "-" },
            created: row.beganAt.microseconds / 1_000_000,
            model: row.model,
            includesUsage: request.includesUsage
        )
        let run = ChatRun(answer) {}
        run.add(text)
        run.finish(row.outcome(outcome))
        return run
    }

    /// The server was started anew, or another server has the turn: it must not run a second time.
    private func refuseLost(_ place: ChatRuns.Place) async throws(APIError) {
        let since = clock().adding(seconds: -ChatService.repeatSeconds)
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, digest: place.digest, since: since)
        }
        if let found, !found.hasEnded { throw ChatRefusal.lost }
    }

    /// The budget is of a day in UTC. Turns that run at the same time may exceed it together.
    private func checkBudget(of principal: Principal) async throws(APIError) {
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

    private static func model(_ name: String?, for principal: Principal) throws(APIError) -> String? {
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
            usage = ChatUsage(
                promptTokens: promptTokens,
                completionTokens: completionTokens,
                cachedTokens: 0,
                cost: cost
            )
        }
        return .finished(ChatResult(finishReason: word, model: model, usage: usage))
    }
}

extension ChatOutcome {
    /// No error of a turn that has begun is worth a repeat.
    fileprivate var final: ChatOutcome {
        guard case .failed(let error) = self else { return self }
        return .failed(error.final)
    }
}
