package import EventModel

/// The kind of client that keeps a refresh token.
package enum TokenHolder: Sendable {
    /// A program, which can ask again at once if the answer is lost.
    case program
    /// A page with its cookie and the browser's secret of this digest. The page may be closed, or the machine asleep,
    /// when the answer arrives.
    case browser([UInt8])

    var isBrowser: Bool { if case .browser = self { true } else { false } }

    /// Whether this kind of client got the token. A token that is presented in another way was taken out of its place.
    func mayUse(_ record: RefreshTokenRecord) -> Bool {
        switch self {
        case .program: !record.isBrowser
        case .browser(let secret): record.browserSHA256 == secret
        }
    }
}

/// The grants that the creator of a pairing requests for its device.
package struct PairingWish: Sendable, Equatable {
    package var capabilities: [Capability] = [.read, .respond]
    /// Names or numbers, for capabilities that are granted per machine; `nil` means all machines.
    package var machines: [String]?

    package init() {}
}

package struct NewPairing: Sendable {
    package var id: Int64
    /// The code that a person types.
    package var code: String
    package var token: String
    /// The token in the form of cdev's apps, for a QR code.
    package var cdevToken: String
    package var expiresAt: Timestamp
    package var lifetimeSeconds: Int

    package init(
        id: Int64,
        code: String,
        token: String,
        cdevToken: String,
        expiresAt: Timestamp,
        lifetimeSeconds: Int
    ) {
        self.id = id
        self.code = code
        self.token = token
        self.cdevToken = cdevToken
        self.expiresAt = expiresAt
        self.lifetimeSeconds = lifetimeSeconds
    }
}

package enum PairingOutcome: Sendable {
    case tokens(IssuedTokens)
    /// The device must present the same secret again until this time.
    case pending(id: Int64, expiresAt: Timestamp)
}

package struct PairingToken: Sendable {
    package var text: String
    package var expiresAt: Timestamp
    /// Seconds from now, rounded down.
    package var remainingSeconds: Int

    package init(text: String, expiresAt: Timestamp, remainingSeconds: Int) {
        self.text = text
        self.expiresAt = expiresAt
        self.remainingSeconds = remainingSeconds
    }
}

/// The properties that a device reports about itself.
package struct NewDevice: Sendable, Equatable {
    package var name: String
    package var platform: String?
    /// The digest of the browser's secret, if a browser's cookie gets the refresh token.
    package var browserSHA256: [UInt8]?
}

package struct IssuedTokens: Sendable {
    package var device: DeviceID
    package var accessToken: String
    package var accessTokenExpiresAt: Timestamp
    package var accessTokenSeconds: Int
    package var refreshToken: String
    package var refreshTokenExpiresAt: Timestamp

    package init(
        device: DeviceID,
        accessToken: String,
        accessTokenExpiresAt: Timestamp,
        accessTokenSeconds: Int,
        refreshToken: String,
        refreshTokenExpiresAt: Timestamp
    ) {
        self.device = device
        self.accessToken = accessToken
        self.accessTokenExpiresAt = accessTokenExpiresAt
        self.accessTokenSeconds = accessTokenSeconds
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
    }
}
