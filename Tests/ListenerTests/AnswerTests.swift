import Glibc
import HTTPModel
import Testing

@testable import Listener

/// Answers that are given together.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AnswerTests {
    private let sizes = [0, 10, 300, 5000, 20_000, 40 * 1024, 700 * 1024, 3 << 20]

    private func body(_ index: Int) -> [UInt8] {
        (0..<sizes[index]).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
    }

    @Test(arguments: [true, false])
    func eachClientGetsItsOwnAnswerOnce(usesIOUring: Bool) async throws {
        try await withLoop(configure: { $0.usesIOUring = usesIOUring }) { loop, addresses, _ in
            var clients: [RawClient] = []
            for index in sizes.indices {
                let client = try RawClient(addresses[0])
                let closing = index == 1 ? "Connection: close\r\n" : ""
                try client.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\(closing)\r\n")
                try await untilAsked(index + 1, loop)
                clients.append(client)
            }
            do {
                let gone = try RawClient(addresses[0])
                try gone.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await untilAsked(sizes.count + 1, loop)
            }
            let bodies = sizes.indices.map(body)
            await loop.turn { loop in
                let asked = loop.testHandler.unanswered
                let answers = asked.enumerated().map { index, exchange in
                    (exchange, HTTPResponse(status: 200, body: index < bodies.count ? bodies[index] : [65]))
                }
                // The second time nobody waits for them any more.
                loop.respond(answers)
                loop.respond(answers)
            }
            for (index, client) in clients.enumerated() {
                let response = try client.readResponse()
                #expect(response.status == 200)
                #expect(response.body == bodies[index])
            }
            #expect(try clients[1].isClosedByServer())
            for client in [clients[0]] + clients.dropFirst(2) { #expect(try client.get("/a").status == 200) }
        }
    }

    @Test(arguments: [true, false])
    func aPartlySentAnswerIsResumedWhenTheClientReadsAgain(usesIOUring: Bool) async throws {
        try await withLoop(configure: { $0.usesIOUring = usesIOUring }) { loop, addresses, _ in
            let count = 5
            let clients = try (0..<count).map { _ in try RawClient(addresses[0], receiveBuffer: 4096) }
            for client in clients { #expect(try client.get("/a").status == 200) }
            await loop.turn { $0.connections.values.forEach(shrinkSendBuffer) }
            for client in clients { try client.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            try await untilAsked(count, loop)
            let asked = await loop.turn { loop in
                let asked = loop.testHandler.unanswered
                loop.respond(asked.map { ($0, HTTPResponse(status: 200, body: body(of: $0))) })
                return asked
            }
            let writing = await loop.turn { loop in
                loop.connections.values.count { if case .writing = $0.mode { true } else { false } }
            }
            #expect(writing == count)
            let got = try clients.map { try $0.readResponse().body }
            let areTheirs = Set(got) == Set(asked.map(body))
            #expect(areTheirs)
            for client in clients { #expect(try client.get("/a").status == 200) }
        }
    }

    private func body(of exchange: ExchangeID) -> [UInt8] {
        let filler = [UInt8](repeating: UInt8(truncatingIfNeeded: exchange.rawValue), count: 30_000)
        return filler + "end of \(exchange.rawValue)".utf8
    }

    /// So far that the kernel takes a part of an answer.
    private func shrinkSendBuffer(of connection: Connection) {
        guard let descriptor = connection.lws?.socket?.descriptor else { return }
        var bytes: Int32 = 4096
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func untilAsked(_ count: Int, _ loop: NetworkLoop) async throws {
        let end = ContinuousClock.now + .seconds(RawClient.patience)
        while await loop.turn({ $0.testHandler.unanswered.count }) < count {
            guard ContinuousClock.now < end else { throw RawClient.Failure(description: "never asked") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
