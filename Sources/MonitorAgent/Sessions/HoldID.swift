internal import EventModel
internal import Signing

/// The id of a prompt on the wire, made from the session and the client's own id of the request: a prompt that is
/// restated after a new start of the agent has the same id.
enum HoldID {
    static func of(session: String, request: String) -> String {
        let digest = Digest.sha256(Array("\(session)\u{0}\(request)".utf8))
        let high = digest[0..<8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let low = digest[8..<16].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // Version 8 of RFC 9562.
        return EventID(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        ).description
    }
}
