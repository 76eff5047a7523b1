import Testing

@testable import WebSocketClient

@Suite("Where a connection leads")
struct WebSocketEndpointTests {
    private func endpoint(_ address: String, key: String = "cmk_x", plaintext: Bool = false) throws -> WebSocketEndpoint
    {
        try WebSocketEndpoint(address, path: "/api/agent", key: key, allowsPlaintext: plaintext)
    }

    @Test("addresses")
    func addresses() throws {
        let secure = try endpoint("https://Monitor.example.org/")
        #expect(
            secure.isSecure && secure.port == 443 && secure.path == "/api/agent" && secure.host == "Monitor.example.org"
        )
        #expect(secure.authority == "Monitor.example.org")
        let below = try endpoint("wss://m:8443/monitor/")
        #expect(below.path == "/monitor/api/agent" && below.shown == "wss://m:8443/monitor/api/agent")
        let six = try endpoint("http://[::1]:8766")
        #expect(six.host == "::1" && six.authority == "[::1]:8766" && six.isLoopback && !six.isSecure)
        #expect(!secure.shown.contains("cmk_x"))
    }

    @Test(
        "what is no address",
        arguments: [
            "", "host", "ftp://host", "https://", "https://a b", "https://a/ b", "https://a:0", "https://a:70000",
            "https://a:x",
            "https://u@h", "https://[::1", "https://[x]", "https://a?b=c", "https://a/#x", "https://a\r\nX: y",
        ]
    )
    func malformed(_ address: String) {
        #expect(throws: WebSocketAddressError.malformed) { try endpoint(address) }
    }

    @Test("beyond loopback the connection is secret, unless the machine's file says otherwise")
    func plaintext() throws {
        for address in ["http://127.0.0.1:1", "ws://localhost", "http://[::1]", "http://127.9.9.9"] {
            #expect(throws: Never.self) { try endpoint(address) }
        }
        for address in [
            "http://10.0.0.1", "http://127.0.0.1.example.org", "http://localhost.example.org", "ws://m", "http://127.1",
        ] {
            #expect(throws: WebSocketAddressError.plaintext) { try endpoint(address) }
            #expect(throws: Never.self) { try endpoint(address, plaintext: true) }
        }
    }

    @Test("a key that would end the header is none")
    func key() {
        for key in ["", "a b", "a\r\nX: y", "é"] {
            #expect(throws: WebSocketAddressError.badKey) { try endpoint("http://localhost", key: key) }
        }
    }
}

@Suite("Messages in pieces")
struct MessageAssemblerTests {
    @Test("pieces are put together")
    func pieces() {
        var assembler = MessageAssembler(limit: 4)
        #expect(assembler.take([1, 2], isFirst: true, isLast: false, isBinary: false) == .incomplete)
        #expect(assembler.take([3, 4], isFirst: false, isLast: true, isBinary: false) == .message([1, 2, 3, 4]))
        #expect(assembler.take([5], isFirst: true, isLast: true, isBinary: false) == .message([5]))
        #expect(assembler.take([], isFirst: true, isLast: true, isBinary: false) == .message([]))
    }

    @Test("too long, and binary")
    func refused() {
        var assembler = MessageAssembler(limit: 4)
        _ = assembler.take([1, 2, 3, 4], isFirst: true, isLast: false, isBinary: false)
        guard case .refused(1009, _) = assembler.take([5], isFirst: false, isLast: true, isBinary: false) else {
            Issue.record("not refused")
            return
        }
        guard case .refused(1003, _) = assembler.take([5], isFirst: true, isLast: true, isBinary: true) else {
            Issue.record("not refused")
            return
        }
    }
}

@Suite("Whether the server is there")
struct LivenessTests {
    @Test("a ping after 20 s, lost after 30 s without a sign")
    func life() {
        var life = Liveness(now: 0)
        #expect(life.judge(now: 1_000_000) == .wait(microseconds: 19_000_000))
        #expect(life.judge(now: 20_000_000) == .ping)
        #expect(life.judge(now: 20_000_000) == .wait(microseconds: 10_000_000))
        #expect(life.judge(now: 30_000_000) == .lost)
        life.heard(now: 21_000_000)
        #expect(life.judge(now: 30_000_000) == .wait(microseconds: 10_000_000))
        #expect(life.judge(now: 40_000_000) == .ping)
        #expect(life.judge(now: 51_000_000) == .lost)
    }
}

@Suite("What waits to be sent")
struct SendQueueTests {
    @Test("in order, and bounded")
    func bounds() {
        let queue = SendQueue()
        #expect(queue.offer([1]) && queue.offer([2, 3]))
        #expect(queue.backlog == 3)
        #expect(queue.next() == [1])
        #expect(queue.next() == [2, 3])
        #expect(queue.next() == nil && queue.isEmpty && queue.backlog == 0)
        #expect(!queue.offer([UInt8](repeating: 0, count: WebSocketLimits.message + 1)))
        let large = [UInt8](repeating: 0, count: WebSocketLimits.message)
        for _ in 0..<8 { #expect(queue.offer(large)) }
        #expect(!queue.offer([1]))
        _ = queue.next()
        #expect(queue.offer([1]))
        queue.close()
        #expect(!queue.offer([2]) && queue.next() == large)
        queue.finish()
        #expect(queue.next() == nil && queue.backlog == 0)
    }

    @Test("thousands of messages")
    func many() {
        let queue = SendQueue()
        for number in 0..<5000 { #expect(queue.offer([UInt8(number & 255)])) }
        for number in 0..<5000 { #expect(queue.next() == [UInt8(number & 255)]) }
        #expect(queue.isEmpty)
    }
}
