internal import EventModel
internal import HTTPModel
internal import JSON
internal import QREncoding

/// A pairing as it is shown to a device: where the server is, and the secret that lets it in.
struct PairingInvitation: Sendable {
    let pairing: NewPairing
    let address: ServerAddress

    /// What cdev's clients read in a QR code.
    var json: [UInt8] { PairingInvitation.json(address, pairing) }

    /// - Parameter pairing: `nil` for those who have to ask for a code: the secret is left out.
    static func json(_ address: ServerAddress, _ pairing: NewPairing?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("ws", address.webSocket)
        writer.field("http", address.http)
        writer.field("session", "")
        // cdev's app refuses an empty name.
        writer.field("repo", "claude-monitor")
        writer.field("auth_required", true)
        writer.field("token", pairing?.cdevToken)
        writer.field("token_expires_at", pairing?.expiresAt.description)
        writer.endObject()
        return writer.bytes
    }

    var qrCode: QRCode {
        get throws(APIError) {
            guard let code = QRCode(json) else {
                throw .invalid("invalid_parameter", "The server's name is too long for a QR code.", param: "host")
            }
            return code
        }
    }
}
