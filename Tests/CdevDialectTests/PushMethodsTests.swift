import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("RPC methods of pushes")
struct PushMethodsTests {
    private let device = DeviceID(rawValue: 7)

    private func principal(_ device: DeviceID?) -> Principal {
        device.map { reader($0) } ?? .admin
    }

    private func asked(_ method: String, _ params: String = "{}", by device: DeviceID?) async -> RPCPushCall? {
        var walk = RPCWalk()
        walk.context.principal = principal(device)
        _ = await walk.call(method, params)
        return await walk.store.pushCalls.last
    }

    @Test("what is asked is passed on with who asks")
    func calls() async {
        #expect(await asked("push/offer", by: device) == RPCPushCall(principal: principal(device), request: .offer))
        #expect(
            await asked("push/token/list", #"{"device_id":"3"}"#, by: nil)
                == RPCPushCall(principal: .admin, named: "3", request: .tokens)
        )
        #expect(
            await asked("push/token/remove", #"{"token_id":"9"}"#, by: device)
                == RPCPushCall(principal: principal(device), request: .removeTokens(id: "9"))
        )
        #expect(
            await asked("push/preferences/get", by: device)
                == RPCPushCall(principal: principal(device), request: .preferences(scope: nil, id: nil))
        )
        let settings = JSONValue.object([("grace_seconds", .integer(3))])
        #expect(
            await asked(
                "push/preferences/set",
                #"{"scope":"session","id":"s","preferences":{"grace_seconds":3}}"#,
                by: device
            )
                == RPCPushCall(
                    principal: principal(device),
                    request: .setPreferences(scope: "session", id: "s", settings)
                )
        )
    }

    @Test("a browser's subscription is one whatever kind it says")
    func subscription() async {
        let call = await asked(
            "push/subscription/register",
            #"{"kind":"alert","endpoint":"https://a.example/1","keys":{"p256dh":"p","auth":"a"}}"#,
            by: device
        )
        guard case .register(let token)? = call?.request else {
            Issue.record("not passed on")
            return
        }
        #expect(token["kind"] == .string("webpush") && token["endpoint"] == .string("https://a.example/1"))
    }

    @Test("what is wrong asks nobody")
    func wrong() async {
        var walk = RPCWalk()
        for (method, params, name) in [
            ("push/token/register", #"{"environment":"production"}"#, "token"),
            ("push/token/register", #"{"token":"ab"}"#, "environment"),
            ("push/token/register", #"{"token":"ab","environment":"production","kind":"webpush"}"#, "kind"),
            ("push/subscription/register", #"{"endpoint":"https://a.example"}"#, "keys"),
            ("push/preferences/get", #"{"scope":"galaxy"}"#, "scope"),
            ("push/preferences/set", "{}", "preferences"),
        ] {
            let error = await walk.call(method, params).0?["error"]
            #expect(error?["code"] == .integer(-32602) && error?["data"]?["param"] == .string(name))
        }
        #expect(await walk.store.pushCalls.isEmpty)
    }
}
