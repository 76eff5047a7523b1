import Foundation
import Testing

@testable import monitorctl

@Suite("device pair, what the device may do")
struct PairingRightsTests {
    private func body(_ arguments: String...) throws -> NSDictionary? {
        guard let body = try PairingRights.parse(arguments).body else { return nil }
        return try JSONSerialization.jsonObject(with: body) as? NSDictionary
    }

    @Test func whatEveryPairingGivesIsNotSaid() throws {
        #expect(try body() == nil)
    }

    @Test func theFlagsAreTheWish() throws {
        #expect(try body("--read-only") == ["capabilities": ["read"]])
        #expect(
            try body("--machine", "mac", "--machine", "build")
                == ["capabilities": ["read", "respond"], "machines": ["mac", "build"]]
        )
        #expect(try body("--administer") == ["capabilities": ["read", "respond", "administer"]])
    }

    @Test func readOnlyIsReadOnly() {
        for more in [["--administer"], ["--machine", "mac"]] {
            #expect(throws: (any Error).self) { try PairingRights.parse(["--read-only"] + more) }
        }
    }

    @Test func aListSaysOnHowManyMachines() throws {
        let text =
            #"{"id":"5","capabilities":["read","respond","control"],"machines":{"respond":["3"],"control":null}}"#
        let device = try ServerJSON.decode(DeviceList.Device.self, Data(text.utf8))
        #expect(device.rights == "read, respond (1 machine), control")
        #expect(try ServerJSON.decode(DeviceList.Device.self, Data(#"{"id":"5"}"#.utf8)).rights == "-")
    }
}
