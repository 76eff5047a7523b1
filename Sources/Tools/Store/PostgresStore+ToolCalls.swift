internal import EventModel
internal import HTTPModel
package import Persistence

extension PostgresStore {
    /// Durable when this returns. Returns false if another call of the caller has the key.
    func begin(_ call: ToolCall, _ key: ToolCall.Key?) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: call.id,
                call.caller,
                call.callerName,
                call.machine,
                call.sessionID,
                call.serverID,
                call.server,
                call.tool,
                call.digest,
                call.argumentsDigest,
                call.createdAt,
                call.expiresAt,
                call.path,
                key?.text,
                key?.digest
            )
            return try connection.query(ToolCallStatements.begin, parameters).firstRow != nil
        }
    }

    /// Returns false if the call is no longer waited for.
    func start(
        toolCall id: String,
        _ approval: ToolApproval,
        at time: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, approval.promptID, approval.approver, time)
            return try connection.query(ToolCallStatements.start, parameters).firstRow != nil
        }
    }

    func end(
        toolCall id: String,
        _ outcome: ToolCallOutcome,
        _ result: String?,
        at time: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: id,
                outcome.state.rawValue,
                time,
                outcome.isError,
                outcome.error?.code,
                outcome.error?.message,
                outcome.bytes,
                result,
                outcome.error.map { Int64($0.status) }
            )
            var calls = [(ToolCallStatements.end, parameters)]
            if let (state, reason) = outcome.stateOfServer {
                calls.append((ToolStatements.noteServer, Parameters(of: id, state, reason, time)))
            }
            _ = try connection.pipeline(calls)
        }
    }

    func keep(result: String, ofToolCall id: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(ToolCallStatements.keepResult, Parameters(of: id, result))
        }
    }

    /// Says that this server cares for calls, and ends those for which none does.
    ///
    /// - Parameter alive: the time since which a server must have said so.
    func tend(toolCalls ids: [String], since alive: Timestamp, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.pipeline([
                (ToolCallStatements.touch, Parameters(of: ids, time)),
                (ToolCallStatements.lose, Parameters(of: alive, time)),
            ])
        }
    }

    func toolCall(_ id: String) async throws(PersistenceError) -> ToolCall? {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolCallStatements.one, Parameters(of: id)).firstValue()
        }
    }

    func toolCalls(_ selection: ToolCallSelection) async throws(PersistenceError) -> [ToolCall] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: selection.machine,
                selection.sessionID,
                selection.caller,
                selection.state?.rawValue,
                selection.before?.time,
                selection.before?.id,
                Int64(selection.limit)
            )
            return try connection.query(ToolCallStatements.page, parameters).values()
        }
    }

    /// The caller's call with this idempotency key, and the digest of its request.
    func toolCall(
        of caller: String,
        key: String
    ) async throws(PersistenceError) -> (call: ToolCall, digest: String)? {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(ToolCallStatements.byKey, Parameters(of: caller, key))
            guard let row = result.firstRow else { return nil }
            return (try ToolCall(from: row, 0), try row.value(ToolCall.columnCount))
        }
    }

    /// Says that a client waits for the call again.
    func noteWait(ofToolCall id: String, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(ToolCallStatements.noteWait, Parameters(of: id, time))
        }
    }

    /// Ends a call about which a person is still asked, unless a client waits for it since a time.
    ///
    /// - Returns: whether it has ended by this.
    func abandon(toolCall id: String, since time: Timestamp, at now: Timestamp) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolCallStatements.abandon, Parameters(of: id, time, now)).firstRow != nil
        }
    }

    package typealias ToolCaller = (id: String, caller: String, name: String?)

    /// Who asked for calls of tools, as the audit log names principals.
    package func callers(ofToolCalls ids: [String]) async throws(PersistenceError) -> [ToolCaller] {
        try await run { connection throws(PersistenceError) in
            var callers: [ToolCaller] = []
            for row in try connection.query(ToolCallStatements.callers, Parameters(of: ids)).rows {
                let (id, caller, name): (String, String, String?) = try row.values()
                callers.append((id, caller, name))
            }
            return callers
        }
    }
}

/// Which calls are asked for, the latest first.
struct ToolCallSelection: Sendable {
    var machine: MachineID?
    var sessionID: String?
    var caller: String?
    var state: ToolCall.State?
    var before: (time: Timestamp, id: String)?
    var limit = 50
}
