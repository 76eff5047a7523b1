internal import API
internal import Access
internal import EventModel
internal import HTTPModel

/// Decides which attempts are charged, and when.
extension DeviceService {
    enum Attempt {
        /// The secret can be guessed: charged at the start.
        case guess
        /// The secret cannot be guessed: charged after a failure.
        case unguessable
    }

    /// A device that waits for a decision presents the same code every second or two, which is not guessing.
    func begin(with secret: PairingSecret?, _ caller: Caller, now: Timestamp) throws(APIError) -> Attempt {
        let canBeGuess =
            switch secret {
            case .token: false
            case .code(let digest): !waiting.contains(digest)
            case nil: true
            }
        if canBeGuess {
            try codeAttempts.take(peer: caller.peer, now: now)
            return .guess
        }
        if let secret { try limitRepeats(of: secret.digest, now: now) }
        return .unguessable
    }

    func succeeded(_ attempt: Attempt, _ caller: Caller) {
        if attempt == .guess { codeAttempts.giveBack(peer: caller.peer) }
    }

    func failed(_ attempt: Attempt, _ error: APIError, _ caller: Caller) -> APIError {
        attempt == .guess ? error : tokenAttempts.charge(error, peer: caller.peer, now: clock())
    }

    func limitRepeats(of secret: SHA256Digest, now: Timestamp) throws(APIError) {
        let name = secret.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
        try repeats.take(peer: "secret-" + name, now: now)
    }

    func limitRepeats(by device: DeviceID, now: Timestamp) throws(APIError) {
        try repeats.take(peer: "device-\(device.rawValue)", now: now)
    }
}
