internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import QREncoding

/// A pairing as shown to a device: the server's address and the pairing secret.
struct PairingInvitation: Sendable {
    let pairing: NewPairing
    let address: ServerAddress
    /// Whether the QR code of the link is sent, too.
    var hasPicture = false

    static let shape = ObjectShape<PairingInvitation>("Pairing") { it in
        it.member("id") { String($0.pairing.id) }
        it.member("code") { $0.pairing.code }
        it.member("pairing_token") { $0.pairing.token }
        it.member("cdev_token") { $0.pairing.cdevToken }
        it.member("expires_at") { $0.pairing.expiresAt }
        it.member("expires_in") { $0.pairing.lifetimeSeconds }
        it.member("url") { $0.address.http }
        it.member("link") { $0.link }
        it.member("link_svg") { $0.hasPicture ? QRCode(Array($0.link.utf8))?.svg : nil }
    }

    /// Opened in a browser, it signs the browser in. The secret is in the fragment, which browsers do not send.
    var link: String { "\(address.http)/pair#\(pairing.token)" }

    /// The content of a QR code for cdev's clients. Omits the secret for clients that must request a code.
    static let code = ObjectShape<(address: ServerAddress, pairing: NewPairing?)>("PairingInfo") { it in
        it.member("ws") { $0.address.webSocket }
        it.member("http") { $0.address.http }
        it.member("session") { _ in "" }
        // cdev's app rejects an empty name.
        it.member("repo") { _ in "claude-monitor" }
        it.member("auth_required") { _ in true }
        it.member("token") { $0.pairing?.cdevToken }
        it.member("token_expires_at") { $0.pairing?.expiresAt }
    }

    var qrCode: QRCode {
        get throws(APIError) {
            guard let code = QRCode(PairingInvitation.code.json((address.shortened, pairing))) else {
                throw .invalid("invalid_parameter", "The server's name is too long for a QR code.", param: "host")
            }
            return code
        }
    }
}
