import Foundation
import Testing

@testable import monitorctl

@Suite("PairingInvitation")
struct PairingInvitationTests {
    @Test(
        "the QR code's JSON has the addresses that the device reaches",
        arguments: [
            ("https://monitor.example.com", "wss://monitor.example.com/ws"),
            ("http://192.0.2.7:8766/", "ws://192.0.2.7:8766/ws"), ("https://example.com/cc", "wss://example.com/cc/ws"),
        ]
    )
    func text(address: String, socket: String) throws {
        let made = """
            {"id":"1","code":"7K3M-P9QX","pairing_token":"cmp_x","cdev_token":"cdev_p_x",
            "expires_at":"2026-01-05T10:05:00.000Z","expires_in":300}
            """
        let pairing = try ServerJSON.decode(NewPairing.self, Data(made.utf8))
        let text = try PairingInvitation(pairing, address: try #require(URL(string: address))).text
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(json.keys) == ["ws", "http", "session", "repo", "auth_required", "token", "token_expires_at"])
        #expect(json["ws"] as? String == socket)
        #expect(json["http"] as? String == (address.hasSuffix("/") ? String(address.dropLast()) : address))
        #expect(json["token"] as? String == "cdev_p_x")
        #expect(json["repo"] as? String == "claude-monitor")
        #expect(json["token_expires_at"] as? String == "2026-01-05T10:05:00.000Z")
        #expect(json["auth_required"] as? Bool == true)
        #expect(!text.contains("7K3M"))
    }
}
