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
        /// The session of the chat.
        let session: String
        /// The turn before, whose model waits for the results that the request has.
        var parked: ParkedChats.Entry?

        /// As the machine names the chat.
        package var chatID: String { parked?.chat ?? id }
        /// For a chat that goes on: objects with `id` and `content`.
        package var results: [JSONValue]? { parked == nil ? nil : request.results?.list }
    }

    /// Takes a piece of an answer, and the model that writes it as soon as the machine names it.
    package typealias OnText = @Sendable (_ text: String, _ model: String?) -> Void

    /// What other parts of the server do for this one.
    package struct Ports: Sendable {
        /// The number of chats that a machine answers at a time; `nil` if its agent is not connected here.
        let allowed: @Sendable (MachineID) -> Int?
        /// Answers a turn; gives each piece of the text before it returns the agent's report of the end.
        let answer: @Sendable (Turn, MachineID, @escaping OnText) async throws(APIError) -> JSONValue
        /// Ends a turn; `answer` then returns.
        let end: @Sendable (Turn, MachineID) async -> Void
        let price: @Sendable (_ model: String?, RequestTokens) -> ChatPrice
        /// Whether the sender still has the capability.
        let admits: @Sendable (Principal, Capability) -> Bool

        package init(
            allowed: @escaping @Sendable (MachineID) -> Int?,
            answer: @escaping @Sendable (Turn, MachineID, @escaping OnText) async throws(APIError) -> JSONValue,
            end: @escaping @Sendable (Turn, MachineID) async -> Void,
            price: @escaping @Sendable (String?, RequestTokens) -> ChatPrice,
            admits: @escaping @Sendable (Principal, Capability) -> Bool
        ) {
            (self.allowed, self.answer, self.end) = (allowed, answer, end)
            (self.price, self.admits) = (price, admits)
        }
    }

    /// How often the end of a turn is stored again while the database is away, and the seconds between.
    private static let (mostAttempts, attemptSeconds) = (3600, 1.0)

    let database: any StoreAccess
    let ports: Ports
    let settings: ChatSettings
    let clock: @Sendable () -> Timestamp
    let runs = ChatRuns()
    let parkedChats = ParkedChats()

    package init(
        database: any StoreAccess,
        ports: Ports,
        settings: ChatSettings,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.database, self.ports, self.settings, self.clock) = (database, ports, settings, clock)
    }

    /// How one request came.
    package struct Call: Sendable {
        /// The bytes of the request. A repeat has equal ones.
        let body: [UInt8]
        let idempotencyKey: String?
        /// The client says that it has sent the same request before.
        let isRepeat: Bool
    }

    /// The turn that answers the request: a new one, or the one of an earlier request that this one repeats.
    package func run(
        _ asked: ChatRequest,
        _ call: Call,
        by principal: Principal
    ) async throws(APIError) -> ChatObserver {
        var request = asked
        request.model = try settings.model(asked.model, for: principal)
        let caller = principal.auditName
        let place = ChatRuns.Place(caller: caller, digest: Digest.sha256(call.body), key: call.idempotencyKey)
        if let run = try await known(call, place, request) { return observe(run, by: principal, having: .chat) }
        try await checkBudget(of: principal)
        if let parked = parked(for: request, by: principal) {
            return try await begin(request, call, place, on: parked.machine, by: principal, parked)
        }
        let machine = try await machine(for: principal)
        let session = try await continued(request, of: caller)
        return try await begin(request, call, place, on: machine, by: principal, goingOnIn: session)
    }

    private func begin(
        _ request: ChatRequest,
        _ call: Call,
        _ place: ChatRuns.Place,
        on machine: MachineID,
        by principal: Principal,
        _ parked: ParkedChats.Entry? = nil,
        goingOnIn session: String? = nil
    ) async throws(APIError) -> ChatObserver {
        let now = clock()
        let known = parked?.session ?? session
        let turn = Turn(
            id: ProjectChats.newID(),
            request: request,
            actor: Responder(principal).actor,
            principal: principal,
            session: known ?? ProjectChats.newID(),
            parked: parked
        )
        let row = NewChatTurn(
            id: turn.id,
            caller: place.caller,
            digest: place.digest,
            idempotencyKey: call.idempotencyKey,
            machine: machine,
            model: request.model,
            at: now,
            chat: request.beginning(
                of: turn.session,
                turn: turn.id,
                isNew: known == nil,
                keepsTexts: settings.keepsTexts
            ),
            estimate: estimate(sent: request.textBytes, written: 0, by: request.model)
        )
        let goesOnAlone = request.continuesAlone == true
        let run = ChatRun(ChatService.answer(turn, now), goesOnAlone: goesOnAlone) { [ports] in
            await ports.end(turn, machine)
        }
        // Before others can find the turn: one that nobody waits for may be joined.
        let observer = observe(run, by: principal, having: .chat)
        // Several requests with the same idempotency key may come at once. One begins the turn, and the others join it.
        if place.key == nil {
            runs.add(run, at: place)
        } else if let known = runs.addUnlessRunning(run, at: place) {
            return observe(known, by: principal, having: .chat)
        }
        do throws(APIError) {
            let isNew = try await database.use { store throws(PersistenceError) in try await store.begin(row) }
            guard isNew else { throw try await refusal(at: place) }
        } catch {
            run.finish(.failed(error))
            runs.remove(run, at: place)
            throw error
        }
        let keepsAnswer = settings.keepsAnswers && call.idempotencyKey != nil
        runs.began(run)
        Task { await carryOut(turn, run, on: machine, keepsAnswer: keepsAnswer) }
        return observer
    }

    /// Why a turn whose idempotency key was used meanwhile does not begin.
    private func refusal(at place: ChatRuns.Place) async throws(APIError) -> APIError {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, idempotencyKey: place.key ?? "")
        }
        return found?.digest == place.digest ? ChatRefusal.lost : APIError.idempotencyKeyReused
    }

    /// - Parameter capability: the right without which the request has no answer any more.
    func observe(_ run: ChatRun, by principal: Principal, having capability: Capability) -> ChatObserver {
        ChatObserver(run) { [ports] in ports.admits(principal, capability) }
    }

    private func carryOut(_ turn: Turn, _ run: ChatRun, on machine: MachineID, keepsAnswer: Bool) async {
        let outcome: ChatOutcome
        var usage: ChatUsage?
        var clientID: String?
        var asked = turn
        let watching = Task { await endWhenRevoked(turn, on: machine) }
        let (sent, model) = (turn.request.textBytes, turn.request.model)
        let noting = Task { await note(turn.id, run, sent: sent, by: model) }
        defer {
            watching.cancel()
            noting.cancel()
        }
        do throws(APIError) {
            let report: JSONValue
            (report, asked) = try await self.report(of: turn, run, on: machine)
            outcome = ChatOutcome(report, offering: turn.request.functions.names)
            clientID = report["client_id"]?.string.flatMap { $0.isWord(atMost: 64) ? $0 : nil }
            usage = ChatUsage(endOf: report, asked: model, price: ports.price)
        } catch {
            outcome = .failed(error)
            if outcome.isUnknown { usage = estimate(sent: sent, written: run.size, by: model) }
        }
        var keepsAnswer = keepsAnswer
        if case .finished(let result) = outcome, !result.calls.isEmpty {
            park(asked, result, on: machine)
            // Calls are not stored.
            keepsAnswer = false
        }
        var end = ChatTurnEnd(outcome, usage, answer: keepsAnswer ? run.text : nil, at: clock())
        if case .finished(let result) = outcome {
            end.chat = turn.request.ending(run.text, result, turn: turn.id, keepsTexts: settings.keepsTexts)
        }
        end.chat.clientID = clientID
        await settle(turn.id, end) {
            run.finish(outcome.final)
            runs.ended(run)
        }
    }

    /// Stores the end of a turn, without which the caller's budget would not know of it. The answer does not wait for
    /// a database that is away.
    func settle(_ turn: String, _ end: ChatTurnEnd, onAttempt: () -> Void) async {
        for attempt in 0..<ChatService.mostAttempts {
            let stored: Void? = try? await database.use { store throws(PersistenceError) in
                try await store.end(chat: turn, end)
            }
            if attempt == 0 { onAttempt() }
            guard stored == nil else { return }
            try? await Task.sleep(for: .seconds(ChatService.attemptSeconds))
        }
    }

    private static func answer(_ turn: Turn, _ now: Timestamp) -> ChatAnswer {
        var answer = ChatAnswer(
            id: answerID(turn.id),
            created: now.microseconds / 1_000_000,
            model: turn.request.model,
            includesUsage: turn.request.includesUsage
        )
        answer.session = ChatAnswerSession(chat: turn.session)
        return answer
    }
}

extension ChatService {
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

    /// Those of the key count before those of the server's configuration.
    func machine(for principal: Principal) async throws(APIError) -> MachineID {
        var candidates: [MachineID] = []
        if case .only(let own)? = principal.grants.machines(of: .chat) {
            candidates = own.sorted { $0.rawValue < $1.rawValue }
        } else {
            for name in settings.machines {
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

extension ChatOutcome {
    /// No error of a turn that has begun is worth a repeat.
    var final: ChatOutcome {
        guard case .failed(let error) = self else { return self }
        return .failed(error.final)
    }
}
