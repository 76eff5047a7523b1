import EventModel
import Testing

@Suite("Capabilities")
struct CapabilityTests {
    private static let here = MachineID(rawValue: 3)
    private static let there = MachineID(rawValue: 4)

    private static func device(_ grants: Grants, _ id: Int64 = 5) -> Principal {
        let claims = DeviceClaims(device: DeviceID(rawValue: id), refusedFrom: Timestamp(microseconds: 0))
        return Principal(.device(claims, DeviceRights(name: "phone", owner: nil, grants: grants)))
    }

    private static let machine = Principal(.machine(MachineGrant(keyID: 1, machine: here, machineName: "mac")))

    /// The letters of post, read, respond, control, chat, tools and administer, where each is allowed: on no machine in
    /// particular, on `here` and on `there`.
    private static let table: [(Principal, any: String, here: String, there: String)] = [
        (.admin, "prschta", "prschta", "prschta"),
        (machine, "p", "p", ""),
        (device(.none), "", "", ""),
        (device(Grants([.read])), "r", "r", "r"),
        (device(Grants([.read, .respond])), "rs", "rs", "rs"),
        (device(Grants([.read, .respond], on: .only([here]))), "rs", "rs", "r"),
        (device(Grants([.read, .respond], on: .only([]))), "rs", "r", "r"),
        (device(Grants([.read: .all, .respond: .only([there]), .control: .only([here])])), "rsc", "rc", "rs"),
        (device(Grants([.read, .control])), "rc", "rc", "rc"),
        (device(Grants([.read, .administer], on: .only([here]))), "ra", "ra", "ra"),
        (device(Grants([.administer])), "a", "a", "a"),
    ]

    @Test("who may do what, and where")
    func decisions() {
        let letters = Array(zip("prschta", Capability.allCases))
        for (principal, any, here, there) in Self.table {
            for (machine, allowed) in [(nil, any), (Self.here, here), (Self.there, there)] {
                let found = letters.filter { principal.may($0.1, on: machine) }.map(\.0)
                #expect(String(found) == allowed, "\(principal.grants.stored) on \(String(describing: machine))")
            }
        }
    }

    @Test("what is stored is read back, and words of later versions are passed over")
    func stored() {
        for (principal, _, _, _) in Self.table {
            #expect(Grants(stored: principal.grants.stored) == principal.grants)
        }
        #expect(Grants([.read: .all, .respond: .only([Self.there, Self.here])]).stored == "read respond:3,4")
        #expect(Grants(stored: "read fly respond:3") == Grants([.read: .all, .respond: .only([Self.here])]))
        #expect(Grants(stored: "administer:3") == Grants([.administer]))
        #expect(Grants(stored: "") == .none)
    }

    @Test("a device raises neither itself nor another device to its own rank")
    func granting() {
        let (own, other) = (DeviceID(rawValue: 5), DeviceID(rawValue: 6))
        let chief = Self.device(Grants([.read, .administer]))
        for capability in Capability.ofDevices {
            for device in [own, other, nil] {
                #expect(Principal.admin.mayGrant(capability, to: device))
                #expect(chief.mayGrant(capability, to: device) == (capability != .administer && device != own))
                #expect(!Self.device(Grants([.read, .respond, .control])).mayGrant(capability, to: device))
                #expect(!Self.machine.mayGrant(capability, to: device))
            }
        }
        #expect(!Principal.admin.mayGrant(.post, to: other))
    }

    @Test("a refusal names the capability and the way to it")
    func lacking() {
        let phone = Self.device(Grants([.read, .respond], on: .only([Self.here])))
        let elsewhere = phone.lacking(.respond, on: Self.there)
        #expect(elsewhere.contains("'respond' on this machine"))
        #expect(elsewhere.contains("monitorctl device grant 5 respond --machine NAME"))
        #expect(elsewhere.contains("Without --machine, the device gets it on all machines"))
        #expect(phone.lacking(.control).hasSuffix("monitorctl device grant 5 control"))
        #expect(Self.machine.lacking(.read).contains("'read'"))
    }
}
