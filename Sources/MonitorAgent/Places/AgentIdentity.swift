internal import MachinePolicy
internal import Signing

/// The secret by which a server knows this installation again. A copied machine key alone cannot take its place.
enum AgentIdentity {
    enum Fault: Error, CustomStringConvertible {
        case file(OwnFile.Fault)
        case malformed(String)
        case random

        var description: String {
            switch self {
            case .file(let fault): "\(fault)"
            case .malformed(let path): "\(path) holds no identity; remove it, then: monitorctl machine reset-agent NAME"
            case .random: "the system gives no random bytes"
            }
        }
    }

    /// The stored identity, else a new one, which is stored.
    static func load(_ path: String) throws(Fault) -> String {
        switch SmallFile.read(path, atMost: 256) {
        case .text(let bytes, _, _):
            let text = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
            guard Base64URL.decode(text)?.count == 32 else { throw .malformed(path) }
            return text
        case .unreadable: throw .malformed(path)
        case .absent: break
        }
        guard let bytes = try? SecureRandom.bytes(32) else { throw .random }
        let text = Base64URL.encode(bytes)
        do throws(OwnFile.Fault) { try OwnFile.replace(path, Array((text + "\n").utf8)) } catch { throw .file(error) }
        return text
    }
}
