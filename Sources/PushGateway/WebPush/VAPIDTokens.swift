public import EventModel
internal import JSON
public import Logging
internal import Signing
internal import Synchronization

/// A signed token that authenticates this server to one push service. Secret until it expires.
struct VAPIDToken: Sendable, Equatable {
    /// In seconds. RFC 8292 allows 24 hours; the difference allows for clock skew.
    static let lifetime: Int64 = 20 * 3600
    /// Seconds for which a token is used. Apple requires at least an hour.
    static let usedAge = 12.0 * 3600
    /// Seconds. A token whose time is further in the future is replaced, because the clock was set back.
    static let toleratedFuture = 5.0 * 60

    let text: String
    let mintedAt: Timestamp

    func isUsable(at now: Timestamp) -> Bool {
        let age = now.seconds(since: mintedAt)
        return age < VAPIDToken.usedAge && age >= -VAPIDToken.toleratedFuture
    }
}

extension VAPIDToken: CustomStringConvertible {
    var description: String { "VAPID token of \(mintedAt)" }
}

/// The tokens for all push services, one for each origin. Made on first use and used for twelve hours.
public final class VAPIDTokens: Sendable {
    /// Maximum number of origins. Beyond it the origin with the oldest token is evicted.
    static let originLimit = 128

    public let key: VAPIDKey
    private let subject: VAPIDSubject
    private let file: VAPIDTokenFile?
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let known: Mutex<[PushOrigin: VAPIDToken]>

    /// - Parameter path: where tokens are stored across restarts, so that none is replaced too soon. `nil` keeps them
    ///   in memory only.
    public init(
        key: VAPIDKey,
        subject: VAPIDSubject,
        path: String?,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.key = key
        self.subject = subject
        self.logger = logger
        self.clock = clock
        file = path.map { VAPIDTokenFile(path: $0, publicKey: key.publicKeyText, subject: subject.text) }
        known = Mutex(file?.read() ?? [:])
    }

    func token(for origin: PushOrigin) throws(SigningError) -> VAPIDToken {
        let now = clock()
        let (token, fileFault) = try known.withLock { known throws(SigningError) -> (VAPIDToken, Int32) in
            if let token = known[origin], token.isUsable(at: now) { return (token, 0) }
            let minted = try key.mint(for: origin, subject: subject, at: now)
            if known[origin] == nil, known.count >= VAPIDTokens.originLimit,
                let oldest = known.min(by: { $0.value.mintedAt < $1.value.mintedAt })
            {
                known[oldest.key] = nil
            }
            known[origin] = minted
            return (minted, file?.write(known) ?? 0)
        }
        if fileFault != 0 {
            logger.warning("VAPID tokens not kept for the next start", metadata: ["errno": "\(fileFault)"])
        }
        return token
    }
}

/// The tokens of one key and subject, stored for the next start.
struct VAPIDTokenFile: Sendable {
    private let file: SecretFile
    private let publicKey: String
    private let subject: String

    init(path: String, publicKey: String, subject: String) {
        file = SecretFile(path: path)
        self.publicKey = publicKey
        self.subject = subject
    }

    /// Returns an empty dictionary if no readable tokens for this key and subject are stored.
    func read() -> [PushOrigin: VAPIDToken] {
        guard case .bytes(let bytes) = file.read(), let stored = try? JSONValue.parse(bytes, maxDepth: 6),
            stored["public_key"]?.string == publicKey, stored["subject"]?.string == subject,
            let list = stored["tokens"]?.array
        else { return [:] }
        var tokens: [PushOrigin: VAPIDToken] = [:]
        for entry in list.prefix(VAPIDTokens.originLimit) {
            guard let host = entry["host"]?.string, let port = entry["port"]?.integer.flatMap(UInt16.init(exactly:)),
                let text = entry["token"]?.string, let mintedAt = entry["minted_at_us"]?.integer
            else { continue }
            let token = VAPIDToken(text: text, mintedAt: Timestamp(microseconds: mintedAt))
            tokens[PushOrigin(host: host, port: port)] = token
        }
        return tokens
    }

    /// Replaces the file atomically. Returns an errno, or 0 for success.
    func write(_ tokens: [PushOrigin: VAPIDToken]) -> Int32 {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("public_key", publicKey)
        writer.field("subject", subject)
        writer.key("tokens")
        writer.beginArray()
        for (origin, token) in tokens {
            writer.beginObject()
            writer.field("host", origin.host)
            writer.field("port", Int64(origin.port))
            writer.field("minted_at_us", token.mintedAt.microseconds)
            writer.field("token", token.text)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return file.replace(writer.bytes)
    }
}
