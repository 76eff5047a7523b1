package import EventModel
package import Notifications
package import Persistence

/// A person with a verified identity token, and the grounds for admitting the person.
package struct AppleSignIn: Sendable {
    package var subject: String
    package var verifiedEmail: String?
    /// The allowlist names the subject.
    package var isAllowedSubject: Bool
    /// The e-mail, if the allowlist names it.
    package var allowedEmail: String?
    /// All e-mails of the allowlist.
    package var allowedEmails: [String]
    /// SHA-256 of a presented pairing code or token.
    package var invitationSHA256: [UInt8]?
    /// The address whose request a person must have approved, or `nil` if no approval is required.
    package var approvedPeer: String?

    package init(
        subject: String,
        verifiedEmail: String?,
        isAllowedSubject: Bool,
        allowedEmail: String?,
        allowedEmails: [String],
        invitationSHA256: [UInt8]?,
        approvedPeer: String? = nil
    ) {
        self.subject = subject
        self.verifiedEmail = verifiedEmail
        self.isAllowedSubject = isAllowedSubject
        self.allowedEmail = allowedEmail
        self.allowedEmails = allowedEmails
        self.invitationSHA256 = invitationSHA256
        self.approvedPeer = approvedPeer
    }
}

/// Sign in with Apple. The changes are durable when these functions return.
extension PostgresStore {
    package func addSignInNonce(_ nonce: NewSecret, now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: nonce.sha256), now, nonce.expiresAt)
            _ = try connection.query(AppleStatements.addNonce, parameters)
        }
    }

    /// Returns false if the nonce is unknown, used or expired.
    package func useSignInNonce(sha256: [UInt8], now: Timestamp) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: sha256), now)
            return try connection.query(AppleStatements.useNonce, parameters).firstRow != nil
        }
    }

    /// Creates a device with read access for the person, whatever a presented invitation grants. Returns `nil` if the
    /// person is not admitted.
    package func signIn(
        _ person: AppleSignIn,
        deviceName: String,
        platform: String?,
        refreshToken: NewSecret,
        now: Timestamp
    ) async throws(PersistenceError) -> (device: DeviceID, identity: Int64, rights: DeviceRights)? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: person.subject,
                person.verifiedEmail,
                person.isAllowedSubject,
                person.allowedEmail,
                person.allowedEmails,
                person.invitationSHA256.map(RawBytes.init),
                now,
                deviceName,
                platform,
                RawBytes(bytes: refreshToken.sha256),
                refreshToken.expiresAt,
                person.approvedPeer
            )
            guard let row = try connection.madeOnce(AppleStatements.signIn, parameters, refreshToken)
            else { return nil }
            let (device, identity, rights): (DeviceID, Int64, DeviceRights) = try row.values()
            return (device, identity, rights)
        }
    }

    package func appleIdentities() async throws(PersistenceError) -> [AppleIdentityRecord] {
        try await run { connection throws(PersistenceError) in
            try connection.query(AppleStatements.list).map { row throws(PersistenceError) in
                try row.make(AppleIdentityRecord.init)
            }
        }
    }

    /// Returns the devices revoked with the person and their withdrawn pushes, or `nil` if the person does not exist.
    package func removeAppleIdentity(
        _ id: Int64,
        now: Timestamp
    ) async throws(PersistenceError) -> (devices: [DeviceID], withdrawn: PushTally)? {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(AppleStatements.remove, Parameters(of: id, now))
            guard result.rowCount > 0 else { return nil }
            let devices: [DeviceID?] = try result.values()
            return (devices.compactMap(\.self), try PushTally(result, from: 1))
        }
    }
}
