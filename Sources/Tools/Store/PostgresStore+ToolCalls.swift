internal import EventModel
internal import HTTPModel
package import Persistence

extension PostgresStore {
    /// Durable when this returns.
    func begin(_ call: ToolCall) async throws(PersistenceError) {
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
                call.expiresAt
            )
            _ = try connection.query(ToolCallStatements.begin, parameters)
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
                nil as String?
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

    /// Who asked for a call of a tool, as the audit log names principals.
    package func caller(ofToolCall id: String) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolCallStatements.caller, Parameters(of: id)).firstValue()
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
