internal import Audit
package import Persistence

/// Deletes pairings that no device used, and the audit of access after a retention of its own.
package enum DeviceRetention {
    /// A pairing is valid for minutes. Its row is kept longer so that its creator can still query the outcome.
    private static let pairingSeconds = 86_400.0

    /// - Parameter auditDays: at least 30. The database refuses to delete younger entries of the audit log.
    package static func steps(auditDays: Int) -> [RetentionStep] {
        [
            .once(AuditStatements.forget, .seconds(86_400 * Double(auditDays))),
            .portions(pairings, .seconds(pairingSeconds)),
        ]
    }

    private static let pairings = Statement(
        "forget_pairings",
        [.timestamptz, .int8],
        """
        DELETE FROM pairings WHERE id IN (
            SELECT p.id FROM pairings p WHERE p.expires_at < $1
                AND NOT EXISTS (SELECT FROM devices d WHERE d.pairing_id = p.id)
                AND NOT EXISTS (SELECT FROM apple_identities i WHERE i.pairing_id = p.id)
            LIMIT $2)
        """
    )
}
