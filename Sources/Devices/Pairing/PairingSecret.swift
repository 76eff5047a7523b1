internal import Access
internal import EventModel
internal import Synchronization

/// The secret that a device presents for pairing.
enum PairingSecret {
    /// A code of 40 bits, to be typed.
    case code(SHA256Digest)
    /// A token of 131 bits, for links and QR codes.
    case token(SHA256Digest)

    /// Returns `nil` if the text has neither form.
    init?(_ text: String) {
        if let token = OpaqueToken(text, kind: .pairing) {
            self = .token(token.digest)
        } else if let code = PairingCode(text) {
            self = .code(code.digest)
        } else {
            return nil
        }
    }

    var digest: SHA256Digest {
        switch self {
        case .code(let digest), .token(let digest): digest
        }
    }
}

/// Valid codes whose devices wait for a decision. Their owners may ask more often than clients that guess.
final class WaitingCodes: Sendable {
    /// Beyond this number, owners are limited like other clients.
    private static let maximum = 256
    private let codes = Mutex<[SHA256Digest: Timestamp]>([:])

    func contains(_ code: SHA256Digest) -> Bool {
        codes.withLock { $0[code] != nil }
    }

    func insert(_ code: SHA256Digest, until expiry: Timestamp, now: Timestamp) {
        codes.withLock { codes in
            if codes.count >= WaitingCodes.maximum { codes = codes.filter { $0.value > now } }
            if codes.count < WaitingCodes.maximum { codes[code] = expiry }
        }
    }

    func remove(_ code: SHA256Digest) {
        codes.withLock { $0[code] = nil }
    }
}
