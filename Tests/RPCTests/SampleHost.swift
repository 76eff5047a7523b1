import EventModel
import JSON

@testable import RPC

/// A small interface: a conversation that counts.
enum SampleHost: RPCHost {
    typealias State = Int
    typealias Action = String
    typealias Services = Int64

    struct Context: RPCContext {
        var principal = Principal.admin
        var now = start
    }

    static let methods: [RPCMethod<SampleHost>] = [
        .immediate("hello", RPCDescription("Opens.", as: "Empty")) { call in
            if call.isOpening { call.act("opened") }
            return .empty
        },
        .immediate("ping", RPCDescription("Nothing.", as: "Empty")) { _ in .empty },
        .immediate("count", RPCDescription("Counts.", [.integer("by", 1...9, "How much.")], as: "Empty")) {
            call throws(RPCError) in
            let step = Int(try call.params.integer("by", in: 1...9) ?? 1)
            call.state += step
            call.act("counted \(call.state)")
            return RPCResult { [count = call.state] in $0.field("count", count) }
        },
        .immediate("bye", RPCDescription("Ends.", as: "Empty")) { call in
            call.act("bye")
            call.end()
            return .empty
        },
        .query(
            "thing/list",
            RPCDescription("Things.", as: "Empty", needs: .administer),
            check: { params throws(RPCError) in _ = try params.integer("limit", in: 1...500) },
            run: { call throws(RPCError) in
                RPCAnswer(
                    RPCResult { $0.field("sum", Int64(call.state) + call.services) },
                    actions: ["listed"]
                )
            }
        ),
    ]

    static func session(
        opening: RPCSession<SampleHost>.Opening? = nil,
        _ change: (inout RPCPeer.Limits) -> Void = { _ in }
    ) -> RPCSession<SampleHost> {
        var limits = RPCPeer.Limits()
        change(&limits)
        return RPCSession(
            state: 0,
            methods: RPCMethodTable([methods, shared()]),
            opening: opening,
            limits: limits,
            parse: parse
        )
    }
}

/// A method of a module that knows no host.
func shared<Host: RPCHost>() -> [RPCMethod<Host>] {
    [
        .query("who", "The sender.", as: ObjectShape<String>("Who") { $0.member("name") { $0 } }) { call in
            call.context.principal.auditName
        }
    ]
}

func parse(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue.parse(bytes, maxDepth: 32) }

extension RPCSession<SampleHost> {
    mutating func hear(_ text: String, as principal: Principal = .admin) -> RPCOutput<SampleHost> {
        receive([UInt8](text.utf8), in: SampleHost.Context(principal: principal))
    }

    /// The text of the reply; `nil` where nothing is answered.
    mutating func ask(_ text: String) -> String? { hear(text).text }
}

extension RPCOutput {
    var text: String? { messages.first.map { String(decoding: $0, as: UTF8.self) } }
}
