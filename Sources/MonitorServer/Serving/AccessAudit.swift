internal import Access
internal import ClientAPI
internal import EventModel
internal import Logging
internal import Persistence

/// The actions in the audit log.
enum AuditAction: String {
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
struct AuditResult: Equatable {
    let word: String

    static let granted = AuditResult(word: "granted")
    /// Waits for a person's decision.
    static let pending = AuditResult(word: "pending")
    static let rejected = AuditResult(word: "rejected")
    static let unknown = AuditResult(word: "unknown")
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
struct AccessAudit: Sendable {
    let database: Database
    let clock: @Sendable () -> Timestamp
    let logger: Logger
    let tally = AuditTallyBoard()

    /// Writes to the log and to the database. If the database fails, the action still stands, and the log has the
    /// record. Refusals that anyone can cause are counted instead.
    /// - Parameter actor: `nil` means the caller or, if there is none, the device concerned.
    func record(
        _ action: AuditAction,
        by actor: String? = nil,
        on object: String? = nil,
        _ result: AuditResult,
        _ caller: Caller
    ) async {
        let line: Logger.Metadata = [
            LogKey.action: "\(action.rawValue)", LogKey.object: "\(object ?? "-")", LogKey.result: "\(result.word)",
            LogKey.peer: "\(caller.peer)", LogKey.requestID: "\(caller.requestID)",
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
    func noteGuess(peer: String, requestID: String) {
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
    func writeTally() async {
        for entry in tally.due(now: clock()) { await write(entry) }
    }

    /// Call once, at the end.
    func writeRest() async {
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
                metadata: [LogKey.requestID: "\(entry.requestID)", LogKey.error: "\(error)"]
            )
        }
    }
}
