internal import Access
internal import ClientAPI
internal import EventModel
internal import Logging
internal import Persistence

/// What the audit log may say was asked.
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
    case removePushPreferences = "push_preferences.remove"
}

/// What it may say came of it: one word.
struct AuditResult: Equatable {
    let word: String

    static let granted = AuditResult(word: "granted")
    /// Waits for a person's decision.
    static let pending = AuditResult(word: "pending")
    static let rejected = AuditResult(word: "rejected")
    static let unknown = AuditResult(word: "unknown")
    /// The one who asked may administer, and not do this.
    static let forbidden = AuditResult(word: "forbidden")
    static let reuse = AuditResult(word: "reuse")
    /// The token was right, the person is not on the list.
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

/// Writes down who was let in, turned away and thrown out.
struct AccessAudit: Sendable {
    let database: Database
    let clock: @Sendable () -> Timestamp
    let logger: Logger
    let tally = AuditTallyBoard()

    /// To the log and to the database. What was done stays done where the database fails now; the log has it. Refusals
    /// that anybody can cause are counted.
    /// - Parameter actor: `nil`: the caller, or else the device that it is about.
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

    /// A wrong credential that may be a guess at the admin token. Does no I/O.
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

    /// To be called every few seconds.
    func writeTally() async {
        for entry in tally.due(now: clock()) { await write(entry) }
    }

    /// To be called once, at the end.
    func writeRest() async {
        for entry in tally.rest() { await write(entry) }
    }

    /// What is granted, waits or ends a family happens a bounded number of times for each invitation or token.
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
