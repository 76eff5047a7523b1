import Foundation

struct NewPairing: Decodable {
    var id: LooseText
    var code: String
    var pairingToken: String
    /// The token in the form of cdev's apps. Servers before 0.2 do not send it.
    var cdevToken: String?
    var expiresAt: String
    var expiresIn: Double
}

struct DeviceList: Decodable {
    struct Device: Decodable {
        var id: LooseText
        var name: String?
        var platform: String?
        var state: String?
        var createdAt: String?
        var lastSeenAt: String?
        /// Servers before 0.2 send neither this nor the next member.
        var capabilities: [String]?
        /// Machine names by capability; null means all machines.
        var machines: [String: [String]?]?
    }
    var devices: [Device]
}

/// The content of the QR code: the JSON that cdev's clients read.
struct PairingInvitation: Encodable {
    var ws: String
    var http: String
    var session = ""
    /// cdev's app rejects an empty name.
    var repo = "claude-monitor"
    var authRequired = true
    var token: String
    var tokenExpiresAt: String

    init(_ pairing: NewPairing, address: URL) {
        var http = address.absoluteString
        while http.hasSuffix("/") { http.removeLast() }
        self.http = http
        ws = "ws" + http.dropFirst("http".count) + "/ws"
        token = pairing.cdevToken ?? pairing.pairingToken
        tokenExpiresAt = pairing.expiresAt
    }

    var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

/// Polls a pairing until a device has used it or it has expired.
struct PairingWait {
    private struct Progress: Decodable {
        var approval: String?
        var device: DeviceList.Device?
    }

    let client: HTTPClient
    let pairing: NewPairing
    var pause = Duration.seconds(1)

    func device() async throws -> DeviceList.Device {
        // Uses this machine's clock, because the server's may differ.
        let end = ContinuousClock.now + .seconds(pairing.expiresIn)
        var isTold = false
        repeat {
            let body = try await client.get("/v1/pairing/\(pairing.id.text)")
            let progress = try ServerJSON.decode(Progress.self, body)
            if let device = progress.device { return device }
            if progress.approval == "rejected" { throw CommandError.refused("the operator rejected the device") }
            if progress.approval == "pending", !isTold {
                Output.note("a device waits for approval: monitorctl device approve \(pairing.id.text)")
                isTold = true
            }
            try await Task.sleep(for: pause)
        } while ContinuousClock.now < end
        throw CommandError.refused("the code expired unused: `monitorctl device pair` makes another")
    }
}
