internal import EventModel
internal import Glibc
internal import JSON
public import Signing

/// The key pair that identifies this server to push services (RFC 8292). Every subscription belongs to one public
/// key, so a new pair invalidates all of them.
public struct VAPIDKey: Sendable {
    private let key: ES256PrivateKey

    public init(_ key: ES256PrivateKey) {
        self.key = key
    }

    /// Reads the key at `path`, PKCS#8 in PEM, or creates it there, readable by its owner only. Several processes
    /// that start together get the same key. Blocks.
    public static func loadOrCreate(path: String) throws(VAPIDKeyError) -> VAPIDKey {
        let file = SecretFile(path: path)
        // On the second iteration another process has created the file meanwhile.
        for _ in 0..<2 {
            switch file.read() {
            case .bytes(let pem):
                do throws(SigningError) {
                    return VAPIDKey(try ES256PrivateKey(pem: pem))
                } catch {
                    throw VAPIDKeyError(path, error.description)
                }
            case .unreadable(let code): throw VAPIDKeyError(path, "it cannot be read (errno \(code))")
            case .absent: if let key = try create(file) { return key }
            }
        }
        throw VAPIDKeyError(path, "it comes and goes")
    }

    /// Returns `nil` if the file exists.
    private static func create(_ file: SecretFile) throws(VAPIDKeyError) -> VAPIDKey? {
        let (key, pem): (ES256PrivateKey, [UInt8])
        do throws(SigningError) {
            key = try ES256PrivateKey.generate()
            pem = try key.pem()
        } catch {
            throw VAPIDKeyError(file.path, error.description)
        }
        switch file.create(pem) {
        case 0: return VAPIDKey(key)
        case EEXIST: return nil
        case let code: throw VAPIDKeyError(file.path, "it cannot be written (errno \(code))")
        }
    }

    /// The key with which a browser subscribes (`applicationServerKey`): 65 bytes in base64url.
    public var publicKeyText: String { Base64URL.encode(key.publicKey.point) }

    func mint(for origin: PushOrigin, subject: VAPIDSubject, at now: Timestamp) throws(SigningError) -> VAPIDToken {
        let seconds = now.microseconds / 1_000_000
        let text = try JSONWebToken.sign(
            header: [("typ", .string("JWT"))],
            claims: [
                ("aud", .string(origin.description)), ("exp", .integer(seconds + VAPIDToken.lifetime)),
                ("sub", .string(subject.text)),
            ],
            with: key
        )
        return VAPIDToken(text: text, mintedAt: now)
    }
}

extension VAPIDKey: CustomStringConvertible {
    public var description: String { "VAPID key \(publicKeyText.prefix(12))" }
}

/// The key is unusable or cannot be created. Safe to print.
public struct VAPIDKeyError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ path: String, _ cause: String) {
        description = "the VAPID key \(path): \(cause)"
    }
}

/// The operator's contact for push services: a `mailto:` or `https:` URL. Apple refuses every push with a subject
/// that it cannot interpret, so subjects that Apple is known to refuse are rejected here.
public struct VAPIDSubject: Sendable, Equatable {
    public let text: String

    /// Returns `nil` for another scheme, for spaces and angle brackets, and for a host without a dot or with a local
    /// name.
    public init?(_ text: String) {
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E })
        else { return nil }
        let host: Substring
        if text.hasPrefix("mailto:") {
            let parts = text.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            host = parts[1]
        } else if text.hasPrefix("https://"), let endpoint = WebPushEndpoint(text) {
            host = endpoint.origin.host[...]
        } else {
            return nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), let last = labels.last,
            !["local", "localhost", "internal", "invalid", "test", "example"].contains(last.lowercased())
        else { return nil }
        self.text = text
    }
}
