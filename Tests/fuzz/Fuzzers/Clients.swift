import EventModel
import HTTPModel
import JSON
import RPC
import WSFanout

@testable import API
@testable import CdevDialect

private let start = Timestamp(microseconds: 1_770_000_000_000_000)

/// What browsers, apps and proxies send.
let clientFuzzers = [
    Fuzzer(name: "rpc") { input in
        var session = CdevHost.session(clientID: "c", openedAt: start) { try? JSONValue.parse($0, maxDepth: 32) }
        let context = CdevContext(
            window: StreamWindow(epoch: "e", oldest: 0, head: 10),
            serverVersion: "1",
            isHealthy: true,
            now: start,
            principal: .admin
        )
        let hello = Array(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.utf8)
        _ = session.receive(hello, in: context)
        for message in input.split(separator: 0x0A, maxSplits: 16) {
            let output = session.receive(Array(message), in: context)
            for task in output.tasks { _ = session.finish(task.token, .failure(.internalError("none"))) }
        }
    },
    Fuzzer(name: "rpc-peer") { input in
        var peer = RPCPeer { try? JSONValue.parse($0, maxDepth: 32) }
        var pending: Set<RPCCallID> = []
        for _ in 0..<3 {
            if let call = try? peer.call("m", deadline: start.adding(seconds: 1)).call { pending.insert(call) }
        }
        for message in input.split(separator: 0x0A, maxSplits: 16) {
            var actions = peer.receive(Array(message), now: start)
            for case .deliver(let request) in actions { actions += peer.answer(request.token, .success(.empty)) }
            var sent = 0
            for action in actions {
                switch action {
                case .send(let text):
                    sent += 1
                    promise((try? JSONValue.parse(text, maxDepth: 64)) != nil, "what is sent is JSON")
                case .complete(let call, _): promise(pending.remove(call) != nil, "a call ends once")
                case .deliver, .flooded: break
                }
            }
            promise(sent <= 1, "a message has one answer at most")
        }
        let late = peer.tick(now: start.adding(seconds: 1))
        promise(late.count == pending.count, "every other call ends at its deadline")
    },
    Fuzzer(name: "query") { input in
        let text = input.text
        let query = QueryParameters(text)
        for name in ["limit", "page", "per_page", "after"] { _ = try? query.integer(name, in: 1...200) }
        _ = query.list("types")
        _ = query.encoded(without: ["page"])
        _ = try? Paging(query, path: "/v1/sessions")
        promise(
            PercentEncoding.decode(PercentEncoding.encode(text)) == text,
            "what is encoded is read back"
        )
        _ = ServerSentEvents.resumePoint(lastEventID: text)
        _ = Timestamp(rfc3339: text)
        _ = EventID(text)
    },
]
