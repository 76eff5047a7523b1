import Access
import EventModel
import HTTPModel
import Signing
import Testing

@Suite("Authenticator")
struct AuthenticatorTests {
    private let grant = MachineGrant(keyID: 1, machine: MachineID(rawValue: 7), machineName: "mac-studio")
    private let key: MachineKey
    private let authenticator = Authenticator(adminToken: "an admin token")

    init() {
        var random = SystemRandomNumberGenerator()
        key = MachineKey.generate(using: &random)
        authenticator.replaceKeys([(key.digest, grant)], load: authenticator.beginLoad())
    }

    private func request(_ headers: HTTPHeaders) -> HTTPRequest {
        HTTPRequest(method: .get, path: "/", headers: headers)
    }

    @Test("a machine key posts events, and reads nothing")
    func machine() throws {
        let byHeader = request(["x-api-key": key.text])
        let byBearer = request(["authorization": "bearer  \(key.text)"])
        #expect(try authenticator.authorize(byHeader, for: .postEvents) == .machine(grant))
        #expect(try authenticator.authorize(byBearer, for: .postEvents) == .machine(grant))
        for scope in [Scope.read, .administer] {
            let error = #expect(throws: APIError.self) { try authenticator.authorize(byHeader, for: scope) }
            #expect(error?.status == 403)
        }
    }

    @Test("a browser's WebSocket offers the credential as a subprotocol")
    func subprotocol() throws {
        let request = request(["sec-websocket-protocol": "cdev, bearer.\(key.text)"])
        #expect(try authenticator.authorize(request, for: .postEvents) == .machine(grant))
    }

    @Test("the admin token may do everything")
    func admin() throws {
        let request = request(["authorization": "Bearer an admin token"])
        for scope in [Scope.postEvents, .read, .administer] {
            #expect(try authenticator.authorize(request, for: scope) == .admin)
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
        let error = #expect(throws: APIError.self) { try authenticator.authorize(request(headers), for: .postEvents) }
        #expect(error?.status == 401)
        #expect(error?.message.contains("nonsense") == false)
    }

    @Test("a revoked key is refused as soon as the set is replaced")
    func revoked() {
        authenticator.replaceKeys([], load: authenticator.beginLoad())
        let error = #expect(throws: APIError.self) {
            try authenticator.authorize(request(["x-api-key": key.text]), for: .postEvents)
        }
        #expect(error?.code == "invalid_api_key")
    }

    @Test("before the keys were read no key is called wrong; the admin token works")
    func keysUnknown() throws {
        let starting = Authenticator(adminToken: "an admin token")
        let error = #expect(throws: APIError.self) {
            try starting.authorize(request(["x-api-key": key.text]), for: .postEvents)
        }
        #expect(error?.status == 503)
        #expect(error?.retryAfter != nil)
        #expect(try starting.authorize(request(["x-api-key": "an admin token"]), for: .read) == .admin)
    }

    @Test("a set of keys that was read earlier does not replace a later one")
    func lateLoad() throws {
        let earlier = authenticator.beginLoad()
        authenticator.replaceKeys([], load: authenticator.beginLoad())
        authenticator.replaceKeys([(key.digest, grant)], load: earlier)
        #expect(throws: APIError.self) {
            try authenticator.authorize(request(["x-api-key": key.text]), for: .postEvents)
        }
    }
}

@Suite("Authenticator, devices")
struct DeviceAuthenticatorTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let device = DeviceID(rawValue: 5)
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

    private func refusal(_ request: HTTPRequest, _ scope: Scope = .read) -> APIError? {
        #expect(throws: APIError.self) { try authenticator.authorize(request, for: scope) }
    }

    @Test("a device reads, and neither posts nor administers")
    func scope() throws {
        authenticator.replaceDevices([device], reading: authenticator.beginReadingDevices())
        guard case .device(let claims) = try authenticator.authorize(request(), for: .read) else {
            Issue.record("not a device")
            return
        }
        #expect(claims.device == device)
        #expect(try refusal(request(), .postEvents)?.status == 403)
        #expect(try refusal(request(), .administer)?.status == 403)
    }

    @Test("until the devices were read none is refused for good")
    func unknown() throws {
        #expect(try refusal(request())?.status == 503)
    }

    @Test("a removed device is refused at once, and a reading that began before does not bring it back")
    func removed() throws {
        authenticator.replaceDevices([device], reading: authenticator.beginReadingDevices())
        let stale = authenticator.beginReadingDevices()
        authenticator.removeDevice(device)
        #expect(try refusal(request())?.code == "device_revoked")
        authenticator.replaceDevices([device], reading: stale)
        #expect(!authenticator.isActive(device))
        authenticator.replaceDevices([device], reading: authenticator.beginReadingDevices())
        #expect(authenticator.isActive(device))
    }

    @Test("an added device comes in at once, and a reading that began before does not shut it out")
    func added() throws {
        authenticator.replaceDevices([], reading: authenticator.beginReadingDevices())
        let stale = authenticator.beginReadingDevices()
        authenticator.addDevice(device)
        #expect(authenticator.isActive(device))
        authenticator.replaceDevices([], reading: stale)
        #expect(authenticator.isActive(device))
        authenticator.replaceDevices([], reading: authenticator.beginReadingDevices())
        #expect(!authenticator.isActive(device))
    }

    @Test("an earlier reading does not undo a later one")
    func order() {
        let first = authenticator.beginReadingDevices()
        let second = authenticator.beginReadingDevices()
        authenticator.replaceDevices([device], reading: second)
        authenticator.replaceDevices([], reading: first)
        #expect(authenticator.isActive(device))
    }

    @Test("expired and foreign tokens say which they are")
    func codes() throws {
        authenticator.replaceDevices([device], reading: authenticator.beginReadingDevices())
        let old = try tokens.issue(for: device, now: now.adding(seconds: -1000)).text
        let foreign = try DeviceTokens(key: ES256PrivateKey.generate()).issue(for: device, now: now).text
        for (token, code) in [(old, "token_expired"), (foreign, "invalid_token"), ("a.b.c", "invalid_token")] {
            let error = refusal(HTTPRequest(method: .get, path: "/", headers: ["x-api-key": token]))
            #expect(error?.status == 401)
            #expect(error?.code == code)
        }
    }
}
