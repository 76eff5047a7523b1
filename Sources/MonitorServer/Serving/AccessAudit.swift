internal import Access
internal import ClientAPI
internal import Logging
internal import Persistence

/// What the audit log may say was asked.
enum AuditAction: String {
    case createPairing = "pairing.create"
    case turnInCode = "pairing.code"
    case pair = "pairing.exchange"
    case refresh = "token.refresh"
    case signOut = "token.revoke"
    case revokeDevice = "device.revoke"
}

/// What it may say came of it.
enum AuditResult: String {
    case granted
    case unknown
    case revoked
    case expired
    case reuse

    init(_ refusal: RefreshPolicy.Refusal) {
        switch refusal {
        case .unknown: self = .unknown
        case .revoked: self = .revoked
        case .expired: self = .expired
        }
    }
}

extension DeviceService {
    /// To the log and to the database. What was done stays done where the database fails now; the log has it. Tokens
    /// that nobody knows go to the log alone: whoever makes them up could fill the table.
    func audit(
        _ action: AuditAction,
        by actor: String? = nil,
        on object: String? = nil,
        _ result: AuditResult,
        _ caller: Caller
    ) async {
        let line: Logger.Metadata = [
            LogKey.action: "\(action.rawValue)", LogKey.object: "\(object ?? "-")", LogKey.result: "\(result.rawValue)",
            LogKey.peer: "\(caller.peer)", LogKey.requestID: "\(caller.requestID)",
        ]
        logger.log(level: result == .reuse ? .warning : .info, "access", metadata: line)
        if result == .unknown, action == .refresh || action == .signOut { return }
        let entry = AuditEntry(
            at: clock(),
            actor: actor ?? (object?.hasPrefix("device:") == true ? object : nil) ?? "anonymous",
            action: action.rawValue,
            object: object,
            result: result.rawValue,
            peer: caller.peer,
            requestID: caller.requestID
        )
        do {
            try await database.reader().audit(entry)
        } catch {
            logger.error(
                "audit row not written",
                metadata: [LogKey.requestID: "\(caller.requestID)", LogKey.error: "\(error)"]
            )
        }
    }
}
