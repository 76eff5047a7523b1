import JSON
import Testing

@testable import WSFanout

@Suite("OpenRPC document")
struct OpenRPCDocumentTests {
    private static let document = parse(OpenRPCDocument(version: "1.2.3").json)
    private static let methods = document?["methods"]?.array ?? []

    @Test("every registered method is described, and nothing else is")
    func complete() {
        let registered = RPCMethodTable.standardGroups.joined().map(\.name)
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
        let changing = Self.methods.filter { $0["x-access"]?.string == "admin" }.compactMap { $0["name"]?.string }
        #expect(
            changing == [
                "session/delete", "workspace/add", "workspace/remove", "workspace/session/delete", "workspace/update",
            ]
        )
        for method in Self.methods {
            let isRefusable = method["errors"]?.array?.contains { $0["$ref"]?.string?.hasSuffix("NotAllowed") == true }
            // A device may change its own layer of preferences, and is refused any other.
            let isLayered = method["name"]?.string?.hasPrefix("push/preferences/") == true
            #expect(isRefusable == (method["x-access"]?.string == "admin" || isLayered))
        }
    }

    @Test("without the right to change, what changes is refused before its parameters are read")
    func refused() async {
        var walk = RPCWalk()
        walk.context.mayAdminister = false
        for (method, params) in [("session/delete", "{}"), ("workspace/add", #"{"path":"/a"}"#)] {
            let error = await walk.call(method, params).0?["error"]
            #expect(error?["code"] == .integer(-32005))
            #expect(error?["data"]?["operation"] == .string(method))
        }
        #expect(await walk.call("session/list").0?["result"] != nil)
    }
}
