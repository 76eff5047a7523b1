internal import EventModel

/// Encrypts content for one device.
struct Sealing: Sendable {
    typealias Encrypt = @Sendable (_ plaintext: [UInt8], _ additionalData: [UInt8]) -> String?

    /// The first byte of the additional data.
    static let version: UInt8 = 1

    private let device: DeviceID
    private let messageID: String
    private let encrypt: Encrypt

    /// - Parameters:
    ///   - messageID: the `apns-id` of the push, as sent.
    ///   - encrypt: returns base64 of nonce (12 bytes), AES-256-GCM ciphertext and tag (16 bytes), or `nil` on
    ///     failure.
    init(device: DeviceID, messageID: String, encrypt: @escaping Encrypt) {
        self.device = device
        self.messageID = messageID
        self.encrypt = encrypt
    }

    /// The version byte, the device's number in decimal, a zero byte, and the message's id.
    static func additionalData(device: DeviceID, messageID: String) -> [UInt8] {
        [version] + Array(String(device.rawValue).utf8) + [0] + Array(messageID.utf8)
    }

    func seal(_ plaintext: [UInt8]) -> String? {
        encrypt(plaintext, Sealing.additionalData(device: device, messageID: messageID))
    }
}
