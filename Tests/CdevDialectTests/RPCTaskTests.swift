import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("RPC tasks")
struct RPCTaskTests {
    private func session() -> RPCSession {
        let listing = RPCMethod.query(
            "thing/list",
            RPCDescription("Things.", as: "Empty"),
            check: { params throws(RPCError) in _ = try params.integer("limit", in: 1...500) },
            run: { _ throws(RPCError) in RPCAnswer(.empty) }
        )
        let table = RPCMethodTable(RPCMethodTable.standardGroups + [[listing]])
        var session = RPCSession(clientID: "c", openedAt: start, methods: table, parse: parse)
        _ = session.receive([UInt8](#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#.utf8), in: context)
        return session
    }

    private func send(_ text: String, to session: inout RPCSession) -> RPCOutput {
        session.receive([UInt8](text.utf8), in: context)
    }

    private func text(_ output: RPCOutput) -> String? {
        payloads(ofFrames: output.reply).first.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a deferred call is answered when its task is finished, and once")
    func single() throws {
        var session = session()
        let asked = send(#"{"jsonrpc":"2.0","id":"q","method":"thing/list","params":{"limit":5}}"#, to: &session)
        #expect(asked.reply.isEmpty)
        let task = try #require(asked.tasks.first)
        #expect(task.method == "thing/list")
        #expect(try task.params.integer("limit", in: 1...500) == 5)
        let answer = session.finish(task.token, .success(RPCAnswer(RPCResult { $0.field("total", 3) })))
        #expect(text(answer) == #"{"jsonrpc":"2.0","id":"q","result":{"total":3}}"#)
        #expect(session.finish(task.token, .success(RPCAnswer(.empty))).isEmpty)
    }

    @Test("tasks may finish in any order")
    func anyOrder() {
        var session = session()
        let first = send(#"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#, to: &session).tasks[0].token
        let second = send(#"{"jsonrpc":"2.0","id":2,"method":"thing/list"}"#, to: &session).tasks[0].token
        let failure = session.finish(second, .failure(.internalError("the store is away")))
        #expect(text(failure)?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603"#) == true)
        #expect(text(session.finish(first, .success(RPCAnswer(.empty)))) == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test("a batch is answered after its last task, in its order, and acts at once")
    func batch() {
        var session = session()
        let asked = send(
            #"[{"jsonrpc":"2.0","id":1,"method":"thing/list"},{"jsonrpc":"2.0","id":2,"method":"event/unsubscribe"},"#
                + #"{"jsonrpc":"2.0","id":3,"method":"thing/list"}]"#,
            to: &session
        )
        #expect(asked.tasks.count == 2)
        #expect(asked.reply.isEmpty && asked.actions == [.unsubscribe])
        #expect(session.finish(asked.tasks[1].token, .success(RPCAnswer(RPCResult { $0.field("n", 3) }))).isEmpty)
        let answer = session.finish(asked.tasks[0].token, .success(RPCAnswer(RPCResult { $0.field("n", 1) })))
        #expect(
            text(answer) == #"[{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":2,"result":{}},"#
                + #"{"jsonrpc":"2.0","id":3,"result":{"n":3}}]"#
        )
        #expect(answer.actions.isEmpty)
    }

    @Test("what a batch asks of the stream is done before what a later message asks")
    func orderOfActions() {
        var session = session()
        let batch = send(
            #"[{"jsonrpc":"2.0","method":"workspace/subscribe","params":{"workspace_id":"w"}},"#
                + #"{"jsonrpc":"2.0","id":1,"method":"thing/list"}]"#,
            to: &session
        )
        let later = send(#"{"jsonrpc":"2.0","id":2,"method":"workspace/subscribeAll"}"#, to: &session)
        var narrowed = EventFilter.all
        narrowed.workspaceIDs = ["w"]
        #expect(batch.actions == [.refilter(narrowed, transport: .jsonRPC)])
        #expect(later.actions == [.refilter(.all, transport: .jsonRPC)])
        #expect(session.finish(batch.tasks[0].token, .success(RPCAnswer(.empty))).actions.isEmpty)
    }

    @Test("a batch that ends the conversation is answered before")
    func endOfBatch() {
        var session = session()
        let asked = send(
            #"[{"jsonrpc":"2.0","id":1,"method":"thing/list"},{"jsonrpc":"2.0","id":2,"method":"shutdown"}]"#,
            to: &session
        )
        #expect(asked.actions.isEmpty)
        let answer = session.finish(asked.tasks[0].token, .success(RPCAnswer(.empty)))
        #expect(!answer.reply.isEmpty && answer.actions == [.close(.normal)])
    }

    @Test("wrong parameters start no task; a notification starts one and is not answered")
    func edges() {
        var session = session()
        let wrong = send(#"{"jsonrpc":"2.0","id":1,"method":"thing/list","params":{"limit":0}}"#, to: &session)
        #expect(wrong.tasks.isEmpty)
        #expect(text(wrong)?.contains("-32602") == true)
        let notified = send(#"{"jsonrpc":"2.0","method":"thing/list"}"#, to: &session)
        #expect(notified.tasks.count == 1 && notified.reply.isEmpty)
        #expect(session.finish(notified.tasks[0].token, .success(RPCAnswer(.empty))).isEmpty)
    }

    @Test("more tasks than the bound are refused as busy until one is finished")
    func bound() {
        var session = session()
        let call = #"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#
        let tasks = (0..<RPCSession.maxTasks).flatMap { _ in send(call, to: &session).tasks }
        #expect(tasks.count == RPCSession.maxTasks)
        #expect(text(send(call, to: &session))?.contains(#""code":-32000"#) == true)
        _ = session.finish(tasks[0].token, .success(RPCAnswer(.empty)))
        let notification = #"{"jsonrpc":"2.0","method":"thing/list"}"#
        #expect(send(notification, to: &session).tasks.count == 1)
        #expect(send(notification, to: &session).isEmpty)
    }
}
