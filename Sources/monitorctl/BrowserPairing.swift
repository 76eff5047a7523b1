import Foundation
import QREncoding

/// The link with which a browser signs in. Its secret is in the fragment, which a browser does not send to the server.
struct BrowserLink: Encodable {
    var url: String
    var id: String
    var expiresAt: String
    var expiresIn: Double

    init(_ pairing: NewPairing, address: URL) {
        var base = address.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        url = base + "/pair#" + pairing.pairingToken
        id = pairing.id.text
        expiresAt = pairing.expiresAt
        expiresIn = pairing.expiresIn
    }

    var document: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
            return try encoder.encode(self)
        }
    }

    func show() throws {
        if let code = QRCode(Array(url.utf8)) {
            let style = TerminalStyle.ofStandardOutput()
            for line in QRTerminal.lines(code, isColored: style.isColoured) { try Output.line(line) }
        }
        try Output.line("open in the browser  \(TerminalText.printable(url))")
    }
}
