import Foundation
import HTTPModel
import Synchronization
import Testing

@testable import Listener

/// Answers that take longer than `answerSeconds`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WaitTests {
    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    @Test func aWaitingAnswerOutlivesTheGeneralTimeout() async throws {
        try await withLoop(configure: { $0.answerSeconds = 1 }) { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send(get("/wait?30"))
            try await journal.wait(for: "waiting")
            try await Task.sleep(for: .milliseconds(3500))
            #expect(await loop.turn { $0.exchanges.count } == 1)
            await loop.turn { $0.respond($0.testHandler.unanswered[0], .text("late")) }
            #expect(try client.readResponse().text == "late")
            #expect(try client.get("/echo").status == 200)
            #expect(!journal.all.contains { $0.hasPrefix("ended") })
        }
    }

    @Test func theDeadlineGivesItsOwnAnswerAndKeepsTheConnection() async throws {
        try await withLoop { _, addresses, journal in
            let client = try RawClient(addresses[0])
            let start = ContinuousClock.now
            try client.send(get("/wait?1"))
            try await journal.wait(for: "ended deadline")
            let response = try client.readResponse()
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(response.status == 200 && response.text == "nothing yet")
            #expect(journal.all.filter { $0.hasPrefix("ended") } == ["ended deadline"])
            #expect(try client.get("/echo").status == 200)
        }
    }

    @Test func aSecondWaitReplacesTheFirst() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send(get("/wait?30"))
            try await journal.wait(for: "waiting")
            await loop.turn { loop in
                loop.wait(for: loop.testHandler.unanswered[0], seconds: 2) { end, _ in
                    journal.add("second \(end)")
                    return .text("second")
                }
            }
            try await journal.wait(for: "second deadline")
            #expect(try client.readResponse().text == "second")
            #expect(!journal.all.contains { $0.hasPrefix("ended") })
        }
    }

    /// By closing, by a reset, and with so many requests behind the first that the connection is no longer read.
    @Test(arguments: ["close", "reset", "unread"]) func theHandlerLearnsThatTheClientHasGone(_ way: String) async throws
    {
        try await withLoop { loop, addresses, journal in
            do {
                let client = try RawClient(addresses[0])
                try client.send(get("/wait?30"))
                try await journal.wait(for: "waiting")
                if way == "reset" {
                    var option = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                }
                if way == "unread" {
                    // More than a head, and less than the kernel holds: the end must come through.
                    try client.send(String(repeating: get("/echo"), count: 1000))
                    while await loop.turn({ $0.unreadConnections.isEmpty }) { await Task.yield() }
                }
            }
            try await journal.wait(for: "ended clientGone")
            #expect(journal.all.count { $0.hasPrefix("ended") } == 1)
            #expect(await loop.turn { $0.exchanges.isEmpty && $0.unreadConnections.isEmpty })
        }
    }

    @Test func aPipelinedRequestIsServedAfterTheWaitingAnswer() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send(get("/wait?30") + get("/echo") + get("/wait?30"))
            try await journal.wait(for: "waiting")
            await loop.turn { $0.respond($0.testHandler.unanswered[0], .text("first")) }
            #expect(try client.readResponse().text == "first")
            #expect(try client.readResponse().text == "GET /echo? 0")
            try await journal.wait(for: "waiting", times: 2)
            await loop.turn { $0.respond($0.testHandler.unanswered[1], .text("third")) }
            #expect(try client.readResponse().text == "third")
        }
    }

    @Test func stopAnswersEveryWaitAtOnce() async throws {
        try await withLoop { loop, addresses, journal in
            let clients = try (0..<5).map { _ in try RawClient(addresses[0]) }
            for client in clients { try client.send(get("/wait?30")) }
            try await journal.wait(for: "waiting", times: clients.count)
            // A stop that waits for them gets the answers of their deadlines.
            await loop.stop(graceSeconds: 600)
            for client in clients {
                let response = try client.readResponse()
                #expect(response.status == 503 && response.headers["retry-after"] == "1")
                #expect(try client.isClosedByServer())
            }
            #expect(journal.all.count { $0 == "ended stopping" } == clients.count)
        }
    }

    @Test func aWaitForAnAnsweredRequestEndsAtOnce() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send(get("/wait?30"))
            try await journal.wait(for: "waiting")
            await loop.turn { loop in
                let exchange = loop.testHandler.unanswered[0]
                loop.respond(exchange, .text("done"))
                loop.wait(for: exchange, seconds: 1) { end, _ in
                    journal.add("second \(end)")
                    return nil
                }
            }
            #expect(journal.all.contains("second clientGone"))
            #expect(try client.readResponse().text == "done")
        }
    }

    @Test func manyWaitingAnswersCostNoThreadEach() async throws {
        let count = 200
        try await withLoop { loop, addresses, journal in
            let before = try threads()
            let clients = try (0..<count).map { _ in try RawClient(addresses[0]) }
            for client in clients { try client.send(get("/wait?30")) }
            try await journal.wait(for: "waiting", times: count)
            #expect(try threads() < before + count / 2)
            await loop.turn { loop in
                for exchange in loop.testHandler.unanswered { loop.respond(exchange, .text("now")) }
            }
            for client in clients { #expect(try client.readResponse().text == "now") }
        }
    }

    private func threads() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }
}
