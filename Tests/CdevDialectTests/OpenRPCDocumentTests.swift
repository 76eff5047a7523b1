import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("OpenRPC document")
struct OpenRPCDocumentTests {
    private static let document = parse(OpenRPCDocument(version: "1.2.3").json)
    private static let methods = document?["methods"]?.array ?? []

    @Test("every registered method is described, and nothing else is")
    func complete() {
        let registered = CdevMethods.groups.joined().map(\.name)
        #expect(Self.methods.compactMap { $0["name"]?.string } == registered.sorted())
        #expect(Set(registered).count == registered.count)
        for method in Self.methods { #expect(method["summary"]?.string?.isEmpty == false) }
    }

    @Test("every reference leads to a component")
    func references() {
        for method in Self.methods {
            let errors = method["errors"]?.array ?? []
            for reference in (errors + [method["result"]?["schema"] ?? .null]).map({ $0["$ref"]?.string ?? "" }) {
                let steps = reference.split(separator: "/").dropFirst()
                let found = steps.reduce(Self.document) { $0?[String($1)] }
                #expect(found != nil, "\(reference)")
            }
        }
    }

    @Test("what changes something documents that it may be refused")
    func access() {
        let changing = Self.methods.filter { $0["x-capability"]?.string == "administer" }.compactMap {
            $0["name"]?.string
        }
        #expect(
            changing == [
                "session/delete", "workspace/add", "workspace/remove", "workspace/session/delete", "workspace/update",
            ]
        )
        for method in Self.methods {
            let isRefusable = method["errors"]?.array?.contains { $0["$ref"]?.string?.hasSuffix("NotAllowed") == true }
            // A device may change its own layer of preferences, and is refused any other.
            let isLayered = method["name"]?.string?.hasPrefix("push/preferences/") == true
            // Everybody may open a session that exists; to start one needs more.
            let isStart = method["name"] == .string("session/start")
            // Who may look at a machine's files and repositories, and what its own file allows, is decided there.
            let name = method["name"]?.string ?? ""
            let isOfMachine =
                RefusedMethods.names.contains(name)
                ? false
                : ["git/", "workspace/git/", "workspace/file", "file/", "repository/"].contains { name.hasPrefix($0) }
            let needs = method["x-capability"]?.string
            let mayLack = ["administer", "control", "respond", "post"].contains(needs)
            #expect(isRefusable == (mayLack || isLayered || isStart || isOfMachine), "\(name)")
        }
    }

    @Test("every notification beside the events of the log is described")
    func notifications() {
        let names = (Self.document?["x-notifications"]?.array ?? []).compactMap { $0["name"]?.string }
        let missing = EventType.ofNotifications.filter { !names.contains($0) && !names.contains("event/\($0)") }
        #expect(missing == [])
        #expect(Set(names).count == names.count)
    }

    @Test("without the right to change, what changes is refused before its parameters are read")
    func refused() async {
        var walk = RPCWalk()
        walk.context.principal = reader()
        for (method, params, capability) in [
            ("session/delete", "{}", "administer"), ("workspace/add", #"{"path":"/a"}"#, "control"),
        ] {
            let error = await walk.call(method, params).0?["error"]
            #expect(error?["code"] == .integer(-32005))
            #expect(error?["data"]?["operation"] == .string(method))
            #expect(error?["message"]?.string?.hasSuffix("monitorctl device grant 5 \(capability)") == true)
        }
        #expect(await walk.call("session/list").0?["result"] != nil)
        walk.context.principal = reader(DeviceID(rawValue: 5), [.administer])
        let error = await walk.call("session/delete", "{}").0?["error"]
        #expect(error?["code"] == .integer(-32602))
    }

    @Test("each method names its capability")
    func capabilities() {
        for method in Self.methods {
            let name = method["x-capability"]?.string
            #expect(name.flatMap { Capability(rawValue: $0) } != nil, "\(method["name"]?.string ?? "?")")
        }
    }

    @Test("initialize says what this client may do")
    func granted() async {
        for (principal, words, mayAdd) in [
            (reader(), ["read"], false), (reader(DeviceID(rawValue: 5), [.administer]), ["read", "administer"], true),
            (.admin, Capability.allCases.map(\.rawValue), true),
        ] {
            var walk = RPCWalk()
            walk.context.principal = principal
            let found = await walk.call("initialize").0?["result"]?["capabilities"]
            #expect(found?["granted"]?.array?.compactMap(\.string) == words)
            for name in ["add", "update", "remove"] { #expect(found?["workspace"]?[name] == .bool(mayAdd)) }
            #expect(found?["workspace"]?["list"] == .bool(true))
            #expect(found?["agent"]?["respond"] == .bool(words.contains("respond")))
        }
    }
}
