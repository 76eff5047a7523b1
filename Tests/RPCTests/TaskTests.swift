import EventModel
import JSON
import Testing

@testable import RPC

@Suite("A session's tasks")
struct TaskTests {
    @Test("a deferred call is answered when its task is finished, and once")
    func single() throws {
        var session = SampleHost.session()
        let asked = session.hear(#"{"jsonrpc":"2.0","id":"q","method":"thing/list","params":{"limit":5}}"#)
        #expect(asked.messages.isEmpty)
        let task = try #require(asked.tasks.first)
        #expect(task.method == "thing/list")
        #expect(try task.params.integer("limit", in: 1...500) == 5)
        let answer = session.finish(task.token, .success(RPCAnswer(RPCResult { $0.field("total", 3) })))
        #expect(answer.text == #"{"jsonrpc":"2.0","id":"q","result":{"total":3}}"#)
        #expect(session.finish(task.token, .success(RPCAnswer(.empty))).isEmpty)
    }

    @Test("tasks may finish in any order")
    func anyOrder() {
        var session = SampleHost.session()
        let first = session.hear(#"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#).tasks[0].token
        let second = session.hear(#"{"jsonrpc":"2.0","id":2,"method":"thing/list"}"#).tasks[0].token
        let failure = session.finish(second, .failure(.internalError("the store is away")))
        #expect(failure.text?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603"#) == true)
        #expect(session.finish(first, .success(RPCAnswer(.empty))).text == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }

    @Test("a method that fails may still have something done")
    func failingWithActions() {
        var session = SampleHost.session()
        let token = session.hear(#"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#).tasks[0].token
        let answer = RPCAnswer<SampleHost>(.internalError("the store is away"), actions: ["told"])
        let failure = session.finish(token, .success(answer))
        #expect(failure.text?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603"#) == true)
        #expect(failure.actions == ["told"])
    }

    @Test("a batch is answered after its last task, in its order, and acts at once")
    func batch() {
        var session = SampleHost.session()
        let asked = session.hear(
            #"[{"jsonrpc":"2.0","id":1,"method":"thing/list"},{"jsonrpc":"2.0","id":2,"method":"count"},"#
                + #"{"jsonrpc":"2.0","id":3,"method":"thing/list"}]"#
        )
        #expect(asked.tasks.count == 2)
        #expect(asked.messages.isEmpty && asked.actions == ["counted 1"])
        #expect(session.finish(asked.tasks[1].token, .success(RPCAnswer(RPCResult { $0.field("n", 3) }))).isEmpty)
        let answer = session.finish(asked.tasks[0].token, .success(RPCAnswer(RPCResult { $0.field("n", 1) })))
        #expect(
            answer.text == #"[{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":2,"result":{"count":1}},"#
                + #"{"jsonrpc":"2.0","id":3,"result":{"n":3}}]"#
        )
        #expect(answer.actions.isEmpty)
    }

    @Test("what a batch asks for is done before what a later message asks for")
    func orderOfActions() {
        var session = SampleHost.session()
        let batch = session.hear(
            #"[{"jsonrpc":"2.0","method":"count"},{"jsonrpc":"2.0","id":1,"method":"thing/list"}]"#
        )
        let later = session.hear(#"{"jsonrpc":"2.0","id":2,"method":"count"}"#)
        #expect(batch.actions == ["counted 1"] && later.actions == ["counted 2"])
        #expect(session.finish(batch.tasks[0].token, .success(RPCAnswer(.empty))).actions.isEmpty)
    }

    @Test("a task has the state of its call and the host's services, and may have the host act")
    func run() async throws {
        var session = SampleHost.session()
        _ = session.hear(#"{"jsonrpc":"2.0","id":1,"method":"count","params":{"by":4}}"#)
        let task = try #require(session.hear(#"{"jsonrpc":"2.0","id":2,"method":"thing/list"}"#).tasks.first)
        _ = session.hear(#"{"jsonrpc":"2.0","id":3,"method":"count"}"#)
        let answer = session.finish(task.token, await task.run(with: 100))
        #expect(answer.text == #"{"jsonrpc":"2.0","id":2,"result":{"sum":104}}"#)
        #expect(answer.actions == ["listed"])
    }

    @Test("after the end of a conversation nothing is done any more")
    func afterTheEnd() {
        var session = SampleHost.session()
        let asked = session.hear(
            #"[{"jsonrpc":"2.0","id":1,"method":"bye"},{"jsonrpc":"2.0","id":2,"method":"count"}]"#
        )
        #expect(asked.actions == ["bye"] && asked.end == .finished && asked.messages.count == 1)
        #expect(session.hear(#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#).isEmpty)
    }

    @Test("a batch that ends the conversation is answered before")
    func endOfBatch() {
        var session = SampleHost.session()
        let asked = session.hear(
            #"[{"jsonrpc":"2.0","id":1,"method":"thing/list"},{"jsonrpc":"2.0","id":2,"method":"bye"}]"#
        )
        #expect(asked.actions == ["bye"] && asked.end == nil)
        let answer = session.finish(asked.tasks[0].token, .success(RPCAnswer(.empty)))
        #expect(!answer.messages.isEmpty && answer.end == .finished)
    }

    @Test("wrong parameters start no task; a notification starts one and is not answered")
    func edges() {
        var session = SampleHost.session()
        let wrong = session.hear(#"{"jsonrpc":"2.0","id":1,"method":"thing/list","params":{"limit":0}}"#)
        #expect(wrong.tasks.isEmpty)
        #expect(wrong.text?.contains("-32602") == true)
        let notified = session.hear(#"{"jsonrpc":"2.0","method":"thing/list"}"#)
        #expect(notified.tasks.count == 1 && notified.messages.isEmpty)
        #expect(session.finish(notified.tasks[0].token, .success(RPCAnswer(.empty))).isEmpty)
    }

    @Test("more tasks than the bound are refused as busy until one is finished")
    func bound() {
        var session = SampleHost.session()
        let call = #"{"jsonrpc":"2.0","id":1,"method":"thing/list"}"#
        let tasks = (0..<RPCSession<SampleHost>.maxTasks).flatMap { _ in session.hear(call).tasks }
        #expect(tasks.count == RPCSession<SampleHost>.maxTasks)
        #expect(session.hear(call).text?.contains(#""code":-32000"#) == true)
        _ = session.finish(tasks[0].token, .success(RPCAnswer(.empty)))
        let notification = #"{"jsonrpc":"2.0","method":"thing/list"}"#
        #expect(session.hear(notification).tasks.count == 1)
        #expect(session.hear(notification).isEmpty)
    }
}
