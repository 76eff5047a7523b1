import EventModel
import Testing

@testable import Tools

@Suite struct EndpointNameTests {
    @Test func aNameThatFits() {
        #expect(EndpointName.plain("git", "git_status") == "git__git_status")
        #expect(EndpointName.plain("my server", "read.file") == "my_server__read_file")
        let tool = String(repeating: "t", count: 45)
        #expect(EndpointName.plain("git", tool) == "git__" + tool)
        #expect(EndpointName.plain("git", tool + "t") == nil)
    }

    @Test(arguments: ["git", String(repeating: "s", count: 128), "a b", "\u{20AC}"])
    func aNameOfItsOwn(server: String) {
        let tool = String(repeating: "t", count: 100)
        let name = EndpointName.unique(server, tool, id: "mcp_1")
        #expect(name.utf8.count == EndpointName.most && name.contains("__"))
        let allowed = name.utf8.allSatisfy { ToolName.isTool(String(decoding: [$0], as: UTF8.self)) }
        #expect(allowed && !name.contains("."))
        #expect(EndpointName.unique(server, tool, id: "mcp_2") != name)
        #expect(EndpointName.unique(server, tool + "t", id: "mcp_1") != name)
        #expect(EndpointName.unique(server, "x", id: "mcp_1").utf8.count <= EndpointName.most)
    }
}

@Suite struct ToolReachTests {
    private let here = MachineID(rawValue: 1)
    private let there = MachineID(rawValue: 2)
    private let grant = MachineGrant(keyID: 5, machine: MachineID(rawValue: 1), machineName: "desk")

    private func device(_ grants: Grants) -> Principal {
        let claims = DeviceClaims(device: DeviceID(rawValue: 3), refusedFrom: Timestamp(microseconds: 0))
        return Principal(.device(claims, DeviceRights(name: "phone", owner: nil, grants: grants)))
    }

    @Test func devicesReachWhatTheyControl() {
        #expect(ToolReach(device(Grants([.read])), granted: { _ in ["git"] }) == nil)
        let one = ToolReach(device(Grants([.control], on: .only([here]))), granted: { _ in [] })
        #expect(one?.covers(here, "git") == true && one?.covers(there, "git") == false)
        let all = ToolReach(.admin, granted: { _ in [] })
        #expect(all?.machines == nil && all?.covers(there, "git") == true)
    }

    @Test func aMachinesKeyReachesServersOfItsMachineByName() {
        let principal = Principal(.machine(grant))
        #expect(ToolReach(principal, granted: { _ in [] }) == nil)
        let reach = ToolReach(principal, granted: { $0.keyID == 5 ? ["git"] : [] })
        #expect(reach?.covers(here, "git") == true)
        #expect(reach?.covers(here, "sqlite") == false && reach?.covers(there, "git") == false)
    }
}
