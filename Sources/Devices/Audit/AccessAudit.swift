package import API
internal import Access
package import EventModel
package import Logging
package import Persistence

/// The actions in the audit log.
package enum AuditAction: String {
    case createPairing = "pairing.create"
    case renewPairing = "pairing.renew"
    case turnInCode = "pairing.code"
    case requestPairing = "pairing.request"
    case approvePairing = "pairing.approve"
    case rejectPairing = "pairing.reject"
    case pair = "pairing.exchange"
    case signIn = "apple.sign_in"
    case removeIdentity = "identity.remove"
    case refresh = "token.refresh"
    case signOut = "token.revoke"
    case revokeDevice = "device.revoke"
    case grantCapability = "device.grant"
    case withdrawCapability = "device.withdraw"
    case createKey = "key.create"
    case revokeKey = "key.revoke"
    case guess = "credential.guess"
    case setPushPreferences = "push_preferences.set"
    case erase = "data.erase"
    case removePushPreferences = "push_preferences.remove"
}

/// A result in the audit log, as one word.
package struct AuditResult: Equatable {
    package let word: String

    package static let granted = AuditResult(word: "granted")
    /// Waits for a person's decision.
    static let pending = AuditResult(word: "pending")
    static let rejected = AuditResult(word: "rejected")
    package static let unknown = AuditResult(word: "unknown")
    /// The caller may administer, but not perform this action.
    static let forbidden = AuditResult(word: "forbidden")
    static let reuse = AuditResult(word: "reuse")
    /// The token is valid, but the person is not admitted.
    static let notAdmitted = AuditResult(word: "not_admitted")
    static let unknownKey = AuditResult(word: "unknown_key")
    static let replayedNonce = AuditResult(word: "replayed_nonce")
    static let keysUnavailable = AuditResult(word: "keys_unavailable")

    private init(word: String) {
        self.word = word
    }

    init(_ refusal: RefreshPolicy.Refusal) {
        word = refusal.rawValue
    }

    init(_ fault: AppleTokenError) {
        word = fault.rawValue
    }
}

/// Records grants, refusals and revocations of access.
package struct AccessAudit: Sendable {
    package let database: any StoreAccess
    package let clock: @Sendable () -> Timestamp
    package let logger: Logger
    private let tally = SharedAuditTally()

    package init(database: any StoreAccess, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    /// Writes to the log and to the database. If the database fails, the action still stands, and the log has the
    /// record. Refusals that anyone can cause are counted instead.
    /// - Parameter actor: `nil` means the caller or, if there is none, the device concerned.
    package func record(
        _ action: AuditAction,
        by actor: String? = nil,
        on object: String? = nil,
        _ result: AuditResult,
        _ caller: Caller
    ) async {
        let line: Logger.Metadata = [
            "action": "\(action.rawValue)", "object": "\(object ?? "-")", "result": "\(result.word)",
            "peer": "\(caller.peer)", "request_id": "\(caller.requestID)",
        ]
        logger.log(level: result == .reuse ? .warning : .info, "access", metadata: line)
        let entry = AuditEntry(
            at: clock(),
            actor: actor ?? caller.principal?.auditName ?? (object?.hasPrefix("device:") == true ? object : nil)
                ?? "anonymous",
            action: action.rawValue,
            object: object,
            result: result.word,
            peer: caller.peer,
            requestID: caller.requestID
        )
        if entry.actor != "admin", AccessAudit.isRepeatable(result) { return tally.note(entry) }
        await write(entry)
    }

    /// A wrong credential that may be a guess of the admin token. Does no I/O.
    package func noteGuess(peer: String, requestID: String) {
        tally.note(
            AuditEntry(
                at: clock(),
                actor: "anonymous",
                action: AuditAction.guess.rawValue,
                object: nil,
                result: AuditResult.unknown.word,
                peer: peer,
                requestID: requestID
            )
        )
    }

    /// Call every few seconds.
    package func writeTally() async {
        for entry in tally.due(now: clock()) { await write(entry) }
    }

    /// Call once, at the end.
    package func writeRest() async {
        for entry in tally.rest() { await write(entry) }
    }

    /// Approvals, waiting requests and revoked families occur a bounded number of times per invitation or token.
    private static func isRepeatable(_ result: AuditResult) -> Bool {
        ![.granted, .pending, .reuse].contains(result)
    }

    private func write(_ entry: AuditEntry) async {
        do {
            try await database.store().audit(entry)
        } catch {
            logger.error(
                "audit row not written",
                metadata: ["request_id": "\(entry.requestID)", "error": "\(error)"]
            )
        }
    }
}
