internal import API
internal import Audit
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Signing

/// Runs tools of machines, each call after a person has approved it. May be used on any thread.
package struct ToolCallService: Sendable {
    /// Seconds in which a person may approve a call. The machine's approvals file may give less.
    static let approvalSeconds = 3600.0
    /// Seconds between two signs of life of the calls, and after which a call without one is given up.
    private static let (tendSeconds, lostSeconds) = (5.0, 30.0)
    /// Attempts to store an outcome, a second apart.
    private static let storeAttempts = 120

    let registry: ToolService
    let ports: ToolCallPorts
    /// Whether results may be stored for callers that do not wait.
    let keepsResults: Bool
    let open = OpenToolCalls()

    var database: any StoreAccess { registry.database }
    var clock: @Sendable () -> Timestamp { registry.clock }

    package init(registry: ToolService, ports: ToolCallPorts, keepsResults: Bool) {
        (self.registry, self.ports, self.keepsResults) = (registry, ports, keepsResults)
    }

    /// A call that was begun, with what is needed to carry it out.
    struct Begun: Sendable {
        var row: ToolCall
        /// The result is stored, also if a request waits for it: the client may not get it.
        var isKept = false
        /// Whether a person is asked even if a rule would allow the call.
        var mustAsk = false
        var call: ToolCallPorts.Call
        var principal: Principal
        var caller: Caller
    }

    /// Begins a call: its row exists when this returns, and nothing has run.
    ///
    /// - Parameters:
    ///   - key: makes it the caller's only call with this key. Throws `ToolCallRefusal.keyTaken` if there is another.
    ///   - isKept: the result is stored, also if a request waits for it.
    func begin(
        _ name: String,
        _ request: ToolCallRequest,
        _ caller: Caller,
        key: ToolCall.Key? = nil,
        isKept: Bool = false
    ) async throws(APIError) -> Begun {
        guard let principal = caller.principal else { throw ToolCallRefusal.revoked }
        let (place, target) = try await resolve(name, request, by: principal)
        let responder = Responder(principal)
        let now = clock()
        var random = SystemRandomNumberGenerator()
        let row = ToolCall(
            id: EventID.version7(at: now, using: &random).description,
            caller: principal.auditName,
            callerName: responder.actor.name,
            machine: place.machine,
            machineName: target.machineName,
            sessionID: request.sessionID ?? place.session,
            path: place.path,
            serverID: target.serverID,
            server: target.server,
            tool: target.tool,
            digest: target.digest,
            argumentsDigest: Digest.hex(ofSorted: request.arguments),
            state: .waiting,
            createdAt: now,
            expiresAt: now.adding(seconds: ToolCallService.approvalSeconds)
        )
        let call = ToolCallPorts.Call(
            id: row.id,
            server: target.server,
            scope: target.scope,
            tool: target.tool,
            digest: target.digest.isEmpty ? nil : target.digest,
            arguments: request.arguments,
            sessionID: request.sessionID,
            machine: place.machine,
            machineName: target.machineName,
            path: place.path,
            actor: responder.actor,
            caller: row.caller,
            serverID: target.serverID,
            account: request.account ?? ToolCallService.account(of: principal, target)
        )
        guard open.add(call, of: row.caller) else { throw ToolCallRefusal.tooMany }
        do throws(APIError) {
            let isFirst = try await database.use { store throws(PersistenceError) in
                try await store.begin(row, key)
            }
            guard isFirst else { throw ToolCallRefusal.keyTaken }
        } catch {
            open.remove(row.id)
            throw error
        }
        var begun = Begun(row: row, isKept: isKept || key != nil, call: call, principal: principal, caller: caller)
        begun.mustAsk = request.mustAsk
        return begun
    }

    /// A program uses the operator's login at a remote server only if its key shares it.
    private static func account(of principal: Principal, _ target: ToolTarget) -> String? {
        guard let key = principal.apiKey, target.scope == RemoteServer.scope else { return nil }
        return key.shares.contains(target.server) ? nil : ""
    }

    /// Carries out a call that was begun, also if its request is closed meanwhile.
    func carryOut(_ begun: Begun) async {
        var row = begun.row
        let outcome = await outcome(of: begun, &row)
        (row.endedAt, row.state, row.isError) = (clock(), outcome.state, outcome.isError)
        (row.resultBytes, row.code) = (outcome.bytes, outcome.error?.code)
        let text = keepsResults ? outcome.result.map { String(decoding: $0.encoded, as: UTF8.self) } : nil
        await store(outcome, of: row, begun.isKept ? text : nil)
        let isTaken = open.finish(row.id, outcome)
        if isTaken == false, !begun.isKept, let text {
            try? await database.use { store throws(PersistenceError) in
                try await store.keep(result: text, ofToolCall: row.id)
            }
        }
        await registry.audit.record(AuditEntry(row, begun.caller, account: begun.call.account))
    }

    private func outcome(of begun: Begun, _ row: inout ToolCall) async -> ToolCallOutcome {
        var asked: RemoteServers.Confirmed?
        do throws(APIError) {
            let approval: ToolApproval
            if begun.call.isRemote {
                let confirmed = try await registry.remote.confirm(begun.call)
                approval = try await remoteApproval(of: begun, confirmed)
                asked = confirmed
            } else {
                approval = try await machineApproval(of: begun)
            }
            let now = clock()
            let hasStarted = try await database.use { store throws(PersistenceError) in
                try await store.start(toolCall: begun.row.id, approval, at: now)
            }
            guard hasStarted else { throw ToolCallRefusal.expired }
            (row.promptID, row.approvedBy, row.startedAt) = (approval.promptID, approval.approver, now)
            open.start(row.id)
        } catch {
            return ToolCallOutcome(unapproved: error)
        }
        do throws(APIError) {
            let (result, bytes) =
                if let asked {
                    try await registry.remote.run(begun.call, at: asked.server)
                } else {
                    try await ports.run(begun.call)
                }
            return ToolCallOutcome(result: result, bytes: bytes)
        } catch {
            return ToolCallOutcome(unfinished: error)
        }
    }

    private func machineApproval(of begun: Begun) async throws(APIError) -> ToolApproval {
        open.ask(begun.row.id)
        try await ports.ask(about: begun.call, seconds: ToolCallService.approvalSeconds)
        return try await approval(of: begun)
    }

    /// Somebody is said to have approved the call. The log says who, and it was not the caller, who must still have the
    /// right.
    func approval(of begun: Begun) async throws(APIError) -> ToolApproval {
        guard let approval = try await ports.approval(begun.row.id, begun.row.machine, begun.row.createdAt),
            approval.approver != begun.row.caller
        else { throw ToolCallRefusal.unapproved }
        try requireRight(of: begun)
        return approval
    }

    /// Throws unless the caller may still run the tool.
    func requireRight(of begun: Begun) throws(APIError) {
        let present = ports.current(begun.principal)
        guard let present, ports.reach(of: present)?.covers(begun.row.machine, begun.row.server) == true else {
            throw ToolCallRefusal.revoked
        }
    }

    /// Stores the outcome. If the database is away, tries again each second, up to `storeAttempts` times.
    private func store(_ outcome: ToolCallOutcome, of row: ToolCall, _ result: String?) async {
        for attempt in 1...ToolCallService.storeAttempts {
            do throws(APIError) {
                return try await database.use { store throws(PersistenceError) in
                    try await store.end(toolCall: row.id, outcome, result, at: row.endedAt ?? row.createdAt)
                }
            } catch {
                // The caller gets the outcome now, although it is not stored yet.
                if attempt == 1 { _ = open.finish(row.id, outcome) }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Says every few seconds that this server cares for its calls, until the task is cancelled.
    package func tend() async {
        while !Task.isCancelled {
            let (ids, now) = (open.ids, clock())
            let alive = now.adding(seconds: -ToolCallService.lostSeconds)
            try? await database.use { store throws(PersistenceError) in
                try await store.tend(toolCalls: ids, since: alive, at: now)
            }
            try? await Task.sleep(for: .seconds(ToolCallService.tendSeconds))
        }
    }

    /// Has the machine's agent ask no longer.
    func withdraw(_ id: String) async {
        guard let call = open.call(id) else { return }
        await ports.withdraw(call)
    }

    func call(_ id: String) async throws(APIError) -> ToolCall {
        let found = try await database.use { store throws(PersistenceError) in try await store.toolCall(id) }
        guard let found else { throw ToolCallRefusal.unknownCall }
        return found
    }

    func calls(_ selection: ToolCallSelection) async throws(APIError) -> [ToolCall] {
        try await database.use { store throws(PersistenceError) in try await store.toolCalls(selection) }
    }
}

extension AuditEntry {
    /// - Parameter call: that has ended.
    fileprivate init(_ call: ToolCall, _ caller: Caller, account: String?) {
        let hasRun = call.state == .completed || call.state == .unknown
        let place = call.machine.shown(call.machineName) ?? "remote"
        var object = "\(place) \(call.serverID)/\(call.tool)"
        if hasRun {
            object += " call=\(call.id) session=\(call.sessionID ?? "-") approved_by=\(call.approvedBy ?? "-")"
            if let account, !account.isEmpty { object += " account=\(account)" }
            object += " outcome=\(call.state.rawValue) ms=\(call.milliseconds ?? 0) bytes=\(call.resultBytes ?? 0)"
        }
        self.init(
            at: call.endedAt ?? call.createdAt,
            actor: call.caller,
            action: AuditAction.runTool.rawValue,
            object: object,
            result: (hasRun ? AuditResult.granted : .rejected).word,
            peer: caller.peer,
            requestID: caller.requestID
        )
    }
}
