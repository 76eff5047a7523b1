internal import Signing

/// The `apns-id` of a push: a UUID in lower case (RFC 9562). Apple repeats it in the answer. All attempts for one
/// push have the same id.
public struct APNsID: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// Returns `nil` unless the text is a canonical UUID. Converts upper case to lower case.
    public init?(_ text: String) {
        let characters = Array(text.lowercased().utf8)
        guard characters.count == 36 else { return nil }
        for (index, character) in characters.enumerated() {
            switch character {
            case UInt8(ascii: "-"):
                guard [8, 13, 18, 23].contains(index) else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard ![8, 13, 18, 23].contains(index) else { return nil }
            default: return nil
            }
        }
        self.text = String(decoding: characters, as: UTF8.self)
    }

    /// Returns a random UUID (version 4).
    public static func random(using random: inout some RandomNumberGenerator) -> APNsID {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }
        return APNsID(valid: groups.joined(separator: "-"))
    }

    public static func random() -> APNsID {
        var random = SystemRandomNumberGenerator()
        return APNsID.random(using: &random)
    }

    private init(valid text: String) { self.text = text }

    public var description: String { text }
}
