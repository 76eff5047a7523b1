internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// A call of a tool as it is stored.
struct ToolCall: Sendable {
    enum State: String, CaseIterable, Sendable {
        /// A person has not decided yet.
        case waiting
        case running
        /// The tool has answered, perhaps that it failed.
        case completed
        /// A person denied the call.
        case denied
        /// Nobody approved it in time. It did not run.
        case expired
        /// The machine does not allow it. It did not run.
        case refused
        /// It may have run.
        case unknown
    }

    var id: String
    /// The name of the principal in the audit log.
    var caller: String
    var callerName: String?
    var machine: MachineID
    var machineName: String
    /// The session whose process makes the call, or the one that asks for it.
    var sessionID: String?
    /// The directory in which the tool runs; `nil` in old rows.
    var path: String?
    var serverID: String
    var server: String
    var tool: String
    /// The SHA-256 of the tool's pinned definition; empty if only the tool's name is known.
    var digest: String
    var argumentsDigest: String
    var state: State
    var createdAt: Timestamp
    /// The end of the time in which a person may approve the call.
    var expiresAt: Timestamp
    var startedAt: Timestamp?
    var endedAt: Timestamp?
    var promptID: String?
    var approvedBy: String?
    var isError: Bool?
    /// Why it has no result.
    var code: String?
    var message: String?
    /// The status of that error.
    var status: Int64?
    var resultBytes: Int64?
    /// JSON. Kept for a while if the caller did not wait for it, and read for one call only.
    var result: [UInt8]?

    /// What makes a call the only one of its request.
    struct Key: Sendable, Equatable {
        /// The caller's word.
        var text: String
        /// SHA-256 of the request.
        var digest: String
    }

    var name: String { "\(server).\(tool)" }

    /// The time in which the tool ran. A person's time to decide is no part of it.
    var milliseconds: Int64? {
        guard let startedAt, let endedAt else { return nil }
        return max(0, (endedAt.microseconds - startedAt.microseconds) / 1000)
    }
}

/// In the order of `ToolCallStatements.columns`.
extension ToolCall: PGColumn {
    static var columnCount: Int { 25 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let word: String
        (id, caller, callerName, machine, machineName, sessionID, path, serverID) = try row.values(from: column)
        (server, tool, digest, argumentsDigest, word, createdAt) = try row.values(from: column + 8)
        (expiresAt, startedAt, endedAt, promptID, approvedBy) = try row.values(from: column + 14)
        (isError, code, message, status, resultBytes, result) = try row.values(from: column + 19)
        state = State(rawValue: word) ?? .unknown
    }
}

/// A person's approval of a call.
package struct ToolApproval: Sendable, Equatable {
    /// `nil` if a rule approved the call.
    package var promptID: String?
    /// The person's name in the audit log, or the rule.
    package var approver: String

    package init(promptID: String?, approver: String) {
        (self.promptID, self.approver) = (promptID, approver)
    }
}
