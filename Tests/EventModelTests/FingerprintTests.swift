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

    @Test func noSentNameGivesAnIdOfTheServer() {
        let machine = MachineID(rawValue: 7)
        // printf 'sent\0007\0build-1' | sha256sum
        #expect(EventID(sentName: "build-1", machine: machine).description == "fe17e729-09bc-8fb8-9670-5cb85c1d162a")
        for name in ["prm_1:answered", "7\0build-1", "build-1"] {
            #expect(EventID(sentName: name, machine: machine) != EventID(name: name, machine: machine))
            #expect(EventID(sentName: name, machine: machine).isNamed)
        }
        #expect(
            EventID(sentName: "build-1", machine: machine)
                != EventID(sentName: "build-1", machine: MachineID(rawValue: 8))
        )
    }

    @Test func partsAreToldApart() {
        #expect(Fingerprint.hex("1", "2/a") != Fingerprint.hex("12", "/a"))
    }
}
