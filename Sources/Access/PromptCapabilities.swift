package import EventModel
package import Signing

/// Issues and verifies the capability in an action of a push: the right of the device that received the push to answer
/// one prompt with one decision. The text is base64url of 49 bytes: the id of the prompt's opening event (16 bytes),
/// the device and the expiry in seconds (8 bytes each, big-endian), the decision (1 byte), and the first 16 bytes of
/// the HMAC-SHA256 over them. Every server with the device key accepts it.
///
/// A capability gives one answer only, because a prompt accepts only one, and a repeated use has the same answer id.
package struct PromptCapabilities: Sendable {
    private static let messageLength = 33
    private static let codeLength = 16
    private static let textLength = 66

    /// A capability that is authentic and has not expired.
    package struct Capability: Sendable, Equatable {
        /// The prompt's opening event.
        package var prompt: EventID
        package var device: DeviceID
        package var isAllowed: Bool
        /// The id of the answer, which is the same for each use.
        package var answerID: EventID
    }

    private let key: [UInt8]

    package init(key: ES256PrivateKey) throws(SigningError) {
        self.key = try Digest.hkdf(secret: key.pem(), salt: [], info: Array("prompt capability".utf8), count: 32)
    }

    package func issue(
        prompt: EventID,
        device: DeviceID,
        isAllowed: Bool,
        expiresAt: Timestamp
    ) throws(SigningError) -> String {
        let fields = [
            prompt.high, prompt.low, UInt64(bitPattern: device.rawValue),
            UInt64(bitPattern: expiresAt.microseconds / 1_000_000),
        ]
        let message = fields.flatMap(PromptCapabilities.bytes) + [isAllowed ? 1 : 0]
        return Base64URL.encode(message + (try code(of: message)))
    }

    /// Returns `nil` if the capability is not authentic or has expired.
    package func verify(_ text: String, now: Timestamp) -> Capability? {
        let length = PromptCapabilities.messageLength
        guard text.utf8.count == PromptCapabilities.textLength, let bytes = Base64URL.decode(text),
            bytes.count == length + PromptCapabilities.codeLength,
            let expected = try? code(of: Array(bytes.prefix(length)))
        else { return nil }
        guard zip(expected, bytes.dropFirst(length)).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
        let fields = (0..<4).map { PromptCapabilities.number(bytes[($0 * 8)..<($0 * 8 + 8)]) }
        let device = DeviceID(rawValue: Int64(bitPattern: fields[2]))
        let expiresAt = Timestamp(microseconds: Int64(clamping: fields[3]) * 1_000_000)
        guard now < expiresAt else { return nil }
        return Capability(
            prompt: EventID(high: fields[0], low: fields[1]),
            device: device,
            isAllowed: bytes[length - 1] == 1,
            answerID: EventID(name: text, machine: MachineID(rawValue: 0))
        )
    }

    private func code(of message: [UInt8]) throws(SigningError) -> [UInt8] {
        Array(try Digest.hmacSHA256(key: key, message).prefix(PromptCapabilities.codeLength))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
