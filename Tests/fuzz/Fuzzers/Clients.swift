import EventModel
import HTTPModel
import JSON

@testable import ClientAPI
@testable import Listener
@testable import WSFanout

private let start = Timestamp(microseconds: 1_770_000_000_000_000)

/// What browsers, apps and proxies send.
let clientFuzzers = [
    Fuzzer(name: "rpc") { input in
        var session = RPCSession(clientID: "c", openedAt: start) { try? JSONValue.parse($0, maxDepth: 32) }
        let context = RPCContext(
            window: StreamWindow(epoch: "e", oldest: 0, head: 10),
            serverVersion: "1",
            isHealthy: true,
            now: start
        )
        let hello = Array(#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.utf8)
        _ = session.receive(hello, in: context)
        for message in input.split(separator: 0x0A, maxSplits: 16) {
            let output = session.receive(Array(message), in: context)
            for task in output.tasks { _ = session.finish(task.token, .failure(.internalError("none"))) }
        }
    },
    Fuzzer(name: "query") { input in
        let text = input.text
        let query = QueryParameters(text)
        for name in ["limit", "page", "per_page", "after"] { _ = try? query.integer(name, in: 1...200) }
        _ = query.list("types")
        _ = query.encoded(without: ["page"])
        _ = try? Paging(query, path: "/v1/sessions")
        promise(
            HTTPModel.PercentEncoding.decode(HTTPModel.PercentEncoding.encode(text)) == text,
            "what is encoded is read back"
        )
        let path = Listener.PercentEncoding.path(input)
        promise(path.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a path forges no header")
        promise(HTTPModel.PercentEncoding.decode(path) == text, "and is read back")
        let item = Listener.PercentEncoding.queryItem(Array("a=".utf8) + input)
        promise(QueryParameters(item)["a"] == text, "so is a query's value")
        _ = ServerSentEvents.resumePoint(lastEventID: text)
        _ = Timestamp(rfc3339: text)
        _ = EventID(text)
    },
    Fuzzer(name: "head") { input in
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0).text }
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? lines[index] : nil }
        let methods: [HTTPMethod?] = [.get, .head, .post, .put, .patch, .delete, .options, nil]
        var facts = RequestFacts()
        facts.method = methods[Int(input.first ?? 0) % methods.count]
        facts.version = line(1) ?? "HTTP/1.1"
        facts.host = line(2)
        facts.origin = line(3)
        facts.contentLength = line(4)
        facts.connection = line(5)
        facts.expect = line(6)
        facts.upgrade = line(7)
        facts.webSocketVersion = line(8)
        facts.webSocketKey = line(9)
        facts.offeredSubprotocols = line(10)
        let names = NameRules(allowedHosts: ["a.example"], allowedOrigins: ["https://b.example"], boundHosts: ["::1"])
        let gate = RequestGate(names: names, subprotocols: ["cdev"])
        if case .success(let passage) = gate.check(facts) {
            promise(passage.bodyLength >= 0, "a length is no debt")
            promise(facts.host.map(names.allows(host:)) ?? false, "only names that are allowed")
        }
        _ = gate.checkUpgrade(facts)
        _ = try? ListenAddress(parsing: line(2) ?? "")
        var identifiers = RequestIdentifier(seed: 7)
        let identifier = identifiers.identifier(clients: line(11))
        promise(identifier.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an identifier forges no header")
    },
]
