import Access
import EventModel
import HTTPModel
import Signing
import Testing

@Suite("Authenticator")
struct AuthenticatorTests {
    private let grant = MachineGrant(keyID: 1, machine: MachineID(rawValue: 7), machineName: "mac-studio")
    private let key: AccessKey
    private let authenticator = Authenticator(adminToken: "an admin token")

    init() {
        var random = SystemRandomNumberGenerator()
        key = AccessKey.generate(.machine, using: &random)
        authenticator.replaceKeys(KeySet(machines: [(key.digest, grant)]), load: authenticator.beginLoad())
    }

    private func request(_ headers: HTTPHeaders) -> HTTPRequest {
        HTTPRequest(method: .get, path: "/", headers: headers)
    }

    @Test("a machine key posts events, and reads nothing")
    func machine() throws {
        let byHeader = request(["x-api-key": key.text])
        let byBearer = request(["authorization": "bearer  \(key.text)"])
        #expect(try authenticator.authorize(byHeader, for: .post) == Principal(.machine(grant)))
        #expect(try authenticator.authorize(byBearer, for: .post) == Principal(.machine(grant)))
        for capability in [Capability.read, .respond, .control, .administer] {
            let error = #expect(throws: APIError.self) { try authenticator.authorize(byHeader, for: capability) }
            #expect(error?.status == 403)
        }
    }

    @Test("a browser's WebSocket offers the credential as a subprotocol")
    func subprotocol() throws {
        let request = request(["sec-websocket-protocol": "cdev, bearer.\(key.text)"])
        #expect(try authenticator.authorize(request, for: .post) == Principal(.machine(grant)))
    }

    @Test("the admin token may do everything")
    func admin() throws {
        let request = request(["authorization": "Bearer an admin token"])
        for capability in Capability.allCases {
            #expect(try authenticator.authorize(request, for: capability) == .admin)
        }
    }

    @Test(
        "no credential, a wrong one, another scheme: 401 that does not repeat it",
        arguments: [
            [:], ["x-api-key": ""], ["x-api-key": "cmk_nonsense"], ["authorization": "Basic YTpi"],
            ["authorization": "Bearer wrong"], ["authorization": "Bearer"],
        ]
    )
    func refused(headers: HTTPHeaders) {
        let error = #expect(throws: APIError.self) { try authenticator.authorize(request(headers), for: .post) }
        #expect(error?.status == 401)
        #expect(error?.message.contains("nonsense") == false)
    }

    @Test("a revoked key is refused as soon as the set is replaced")
    func revoked() {
        authenticator.replaceKeys(KeySet(), load: authenticator.beginLoad())
        let error = #expect(throws: APIError.self) {
            try authenticator.authorize(request(["x-api-key": key.text]), for: .post)
        }
        #expect(error?.code == "invalid_api_key")
    }

    @Test("before the keys were read no key is called wrong; the admin token works")
    func keysUnknown() throws {
        let starting = Authenticator(adminToken: "an admin token")
        let error = #expect(throws: APIError.self) {
            try starting.authorize(request(["x-api-key": key.text]), for: .post)
        }
        #expect(error?.status == 503)
        #expect(error?.retryAfter != nil)
        #expect(try starting.authorize(request(["x-api-key": "an admin token"]), for: .read) == .admin)
    }

    @Test("a set of keys that was read earlier does not replace a later one")
    func lateLoad() throws {
        let earlier = authenticator.beginLoad()
        authenticator.replaceKeys(KeySet(), load: authenticator.beginLoad())
        authenticator.replaceKeys(KeySet(machines: [(key.digest, grant)]), load: earlier)
        #expect(throws: APIError.self) {
            try authenticator.authorize(request(["x-api-key": key.text]), for: .post)
        }
    }
}

@Suite("Authenticator, devices")
struct DeviceAuthenticatorTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let device = DeviceID(rawValue: 5)
    private let rights = DeviceRights(name: "phone", owner: nil, grants: Grants([.read]))
    private var claims: DeviceClaims { DeviceClaims(device: device, refusedFrom: now) }
    private let tokens: DeviceTokens
    private let authenticator: Authenticator

    init() throws {
        let now = now
        tokens = DeviceTokens(key: try ES256PrivateKey.generate())
        authenticator = Authenticator(adminToken: "an admin token", gate: (tokens, { now }))
    }

    private func request() throws -> HTTPRequest {
        let token = try tokens.issue(for: device, now: now).text
        return HTTPRequest(method: .get, path: "/", headers: ["authorization": "Bearer \(token)"])
    }

    private func refusal(_ request: HTTPRequest, _ capability: Capability = .read) -> APIError? {
        #expect(throws: APIError.self) { try authenticator.authorize(request, for: capability) }
    }

    @Test("a device that may read does nothing else, and is told how to get it")
    func reads() throws {
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        #expect(try authenticator.authorize(request(), for: .read).device == device)
        for capability in [Capability.respond, .control, .administer] {
            let error = try refusal(request(), capability)
            #expect(error?.status == 403 && error?.code == "insufficient_scope")
            #expect(error?.message.contains("'\(capability.rawValue)'") == true)
            #expect(error?.message.hasSuffix("monitorctl device grant 5 \(capability.rawValue)") == true)
        }
        #expect(try refusal(request(), .post)?.message.contains("monitorctl key create") == true)
    }

    @Test("changed grants count at once, and a reading that began before does not undo them")
    func changed() throws {
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        let stale = authenticator.beginReadingDevices()
        authenticator.changeGrants(of: device, to: Grants([.read, .administer]))
        #expect(try authenticator.authorize(request(), for: .administer).device == device)
        authenticator.replaceDevices([device: rights], reading: stale)
        #expect(try authenticator.authorize(request(), for: .administer).device == device)
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        #expect(try refusal(request(), .administer)?.status == 403)
    }

    @Test("changed grants bring no revoked device back")
    func changedAfterRevocation() throws {
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        authenticator.removeDevice(device)
        authenticator.changeGrants(of: device, to: .everything)
        #expect(try refusal(request())?.code == "device_revoked")
    }

    @Test("until the devices were read none is refused for good")
    func unknown() throws {
        #expect(try refusal(request())?.status == 503)
    }

    @Test("a removed device is refused at once, and a reading that began before does not bring it back")
    func removed() throws {
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        let stale = authenticator.beginReadingDevices()
        authenticator.removeDevice(device)
        #expect(try refusal(request())?.code == "device_revoked")
        authenticator.replaceDevices([device: rights], reading: stale)
        #expect(authenticator.current(claims) == nil)
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        #expect(authenticator.current(claims) != nil)
    }

    @Test("an added device comes in at once, and a reading that began before does not shut it out")
    func added() throws {
        authenticator.replaceDevices([:], reading: authenticator.beginReadingDevices())
        let stale = authenticator.beginReadingDevices()
        authenticator.addDevice(device, rights)
        #expect(authenticator.current(claims) != nil)
        authenticator.replaceDevices([:], reading: stale)
        #expect(authenticator.current(claims) != nil)
        authenticator.replaceDevices([:], reading: authenticator.beginReadingDevices())
        #expect(authenticator.current(claims) == nil)
    }

    @Test("an earlier reading does not undo a later one")
    func order() {
        let first = authenticator.beginReadingDevices()
        let second = authenticator.beginReadingDevices()
        authenticator.replaceDevices([device: rights], reading: second)
        authenticator.replaceDevices([:], reading: first)
        #expect(authenticator.current(claims) != nil)
    }

    @Test("expired and foreign tokens say which they are")
    func codes() throws {
        authenticator.replaceDevices([device: rights], reading: authenticator.beginReadingDevices())
        let old = try tokens.issue(for: device, now: now.adding(seconds: -1000)).text
        let foreign = try DeviceTokens(key: ES256PrivateKey.generate()).issue(for: device, now: now).text
        for (token, code) in [(old, "token_expired"), (foreign, "invalid_token"), ("a.b.c", "invalid_token")] {
            let error = refusal(HTTPRequest(method: .get, path: "/", headers: ["x-api-key": token]))
            #expect(error?.status == 401)
            #expect(error?.code == code)
        }
    }
}
