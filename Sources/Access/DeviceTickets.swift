package import EventModel
package import Signing

/// Issues and verifies tickets. A ticket opens one WebSocket for a device whose client can send a subprotocol but no
/// header. The text is base64url of 48 bytes: device, expiry of the access token, expiry of the ticket (seconds), a
/// random number, each 8 bytes, big-endian, and the first 16 bytes of the HMAC-SHA256 over them. Every server with
/// the device key accepts it.
package struct DeviceTickets: Sendable {
    package static let lifetimeSeconds: Int64 = 30
    static let length = 64
    private static let codeLength = 16

    /// A ticket that is authentic and has not expired.
    struct Ticket: Sendable, Equatable {
        var claims: DeviceClaims
        var expiresAt: Timestamp
        var number: UInt64
    }

    private let key: [UInt8]

    package init(key: ES256PrivateKey) throws(SigningError) {
        self.key = try Digest.hkdf(secret: key.pem(), salt: [], info: Array("websocket ticket".utf8), count: 32)
    }

    /// - Parameter claims: the socket ends when they do.
    package func issue(for claims: DeviceClaims, now: Timestamp) throws(SigningError) -> String {
        let second: Int64 = 1_000_000
        let expiresAt = now.microseconds / second + DeviceTickets.lifetimeSeconds
        let end = claims.socketsEndAt ?? claims.refusedFrom
        let fields = [
            UInt64(bitPattern: claims.device.rawValue), UInt64(bitPattern: end.microseconds / second),
            UInt64(bitPattern: expiresAt), UInt64.random(in: .min ... .max),
        ]
        let message = fields.flatMap(DeviceTickets.bytes)
        return Base64URL.encode(message + (try code(of: message)))
    }

    /// Returns `nil` if the ticket is not authentic or has expired.
    func verify(_ text: Substring, now: Timestamp) -> Ticket? {
        guard text.utf8.count == DeviceTickets.length, let bytes = Base64URL.decode(String(text)), bytes.count == 48
        else { return nil }
        let message = Array(bytes.prefix(32))
        guard let expected = try? code(of: message), DeviceTickets.areEqual(expected, bytes.dropFirst(32)) else {
            return nil
        }
        let fields = (0..<4).map { DeviceTickets.number(message[($0 * 8)..<($0 * 8 + 8)]) }
        let times = fields[1...2].map { Timestamp(microseconds: Int64(clamping: $0) * 1_000_000) }
        let device = DeviceID(rawValue: Int64(clamping: fields[0]))
        let claims = DeviceClaims(device: device, refusedFrom: times[0])
        guard now < times[0], now < times[1] else { return nil }
        return Ticket(claims: claims, expiresAt: times[1], number: fields[3])
    }

    private func code(of message: [UInt8]) throws(SigningError) -> [UInt8] {
        Array(try Digest.hmacSHA256(key: key, message).prefix(DeviceTickets.codeLength))
    }

    /// Compares in constant time.
    private static func areEqual(_ one: [UInt8], _ other: ArraySlice<UInt8>) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Used tickets, until they expire. At the capacity no ticket is accepted until the oldest have expired: evicting one
/// would allow it to be used twice.
struct UsedTickets: Sendable {
    enum Outcome: Sendable, Equatable {
        case accepted
        case repeated
        case full
    }

    static let capacity = 16_384

    private var expiries: [UInt64: Timestamp] = [:]
    private var sweptAt: Timestamp?

    mutating func use(_ ticket: DeviceTickets.Ticket, now: Timestamp) -> Outcome {
        sweep(now: now)
        guard expiries[ticket.number] == nil else { return .repeated }
        guard expiries.count < UsedTickets.capacity else { return .full }
        expiries[ticket.number] = ticket.expiresAt
        return .accepted
    }

    /// Runs at most once a second.
    private mutating func sweep(now: Timestamp) {
        if let sweptAt, (0..<1).contains(now.seconds(since: sweptAt)) { return }
        sweptAt = now
        expiries = expiries.filter { $0.value > now }
    }
}
