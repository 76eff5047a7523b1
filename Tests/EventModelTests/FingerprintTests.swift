import EventModel
import Testing

@Suite struct FingerprintTests {
    /// `printf '1\0/home/dev/shop' | sha256sum` and so on.
    @Test func namesAreCutFromSHA256() {
        let machine = MachineID(rawValue: 1)
        #expect(WorkspaceID.make(machine: machine, path: "/home/dev/shop") == "ws-d830f7699d08cdf0dc8d")
        #expect(Fingerprint.hex("session-1") == "84097828fc31a8c8d292")
        let id = EventID(name: "build-1", machine: MachineID(rawValue: 7))
        #expect(id.description == "159677f5-b281-8af7-a233-2cc0a5d3b13b")
    }

    @Test func partsAreToldApart() {
        #expect(Fingerprint.hex("1", "2/a") != Fingerprint.hex("12", "/a"))
    }
}
