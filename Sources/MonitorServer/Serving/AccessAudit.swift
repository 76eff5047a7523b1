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
    case createKey = "key.create"
    case revokeKey = "key.revoke"
}

/// What it may say came of it: one word.
struct AuditResult: Equatable {
    let word: String

    static let granted = AuditResult(word: "granted")
    /// Waits for a person's decision.
    static let pending = AuditResult(word: "pending")
    static let rejected = AuditResult(word: "rejected")
    static let unknown = AuditResult(word: "unknown")
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

    /// To the log and to the database. What was done stays done where the database fails now; the log has it. Tokens
    /// that nobody knows go to the log alone: whoever makes them up could fill the table.
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
        if result == .unknown, action == .refresh || action == .signOut { return }
        let entry = AuditEntry(
            at: clock(),
            actor: actor ?? (object?.hasPrefix("device:") == true ? object : nil) ?? "anonymous",
            action: action.rawValue,
            object: object,
            result: result.word,
            peer: caller.peer,
            requestID: caller.requestID
        )
        do {
            try await database.store().audit(entry)
        } catch {
            logger.error(
                "audit row not written",
                metadata: [LogKey.requestID: "\(caller.requestID)", LogKey.error: "\(error)"]
            )
        }
    }
}
