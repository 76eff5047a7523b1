import Foundation
import HTTPModel
import Synchronization
import Testing

@testable import Listener

/// A loop in which every turn brings something to do.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BusyLoopTests {
    /// Posts itself again and again.
    private final class Treadmill: Sendable {
        private let isOver = Atomic<Bool>(false)

        func run(on loop: NetworkLoop) {
            loop.post { [self] loop in if !isOver.load(ordering: .relaxed) { run(on: loop) } }
        }

        func stop() { isOver.store(true, ordering: .relaxed) }
    }

    @Test func aBusyLoopKeepsItsDeadlines() async throws {
        try await withLoop(configure: {
            $0.headerSeconds = 1
            $0.keepAliveSeconds = 1
        }) { loop, addresses, _ in
            let treadmill = Treadmill()
            treadmill.run(on: loop)
            defer { treadmill.stop() }
            let slow = try RawClient(addresses[0])
            try slow.send("GET /a HTTP/1.1\r\nHost: loc")
            let idle = try RawClient(addresses[0])
            #expect(try idle.get("/a").status == 200)
            #expect(try slow.readResponse().status == 408)
            #expect(try slow.isClosedByServer())
            #expect(try idle.isClosedByServer())
        }
    }

    @Test func aBodyThatTheLoopHasNotReadIsNotTooSlow() async throws {
        // Until the loop is busy, less than the grace passes; then more.
        try await withLoop(configure: { $0.bodyGraceSeconds = 2 }) { loop, addresses, _ in
            // Several: the loop may read one of them before it looks at the deadlines.
            let clients = try (0..<20).map { _ in try RawClient(addresses[0]) }
            for client in clients {
                try client.send("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n")
            }
            let busy = DispatchSemaphore(value: 0)
            // Behind the heads.
            #expect(try RawClient(addresses[0]).get("/a").status == 200)
            loop.post { _ in busy.wait() }
            for client in clients { try client.send([UInt8](repeating: 65, count: 10_000)) }
            sleep(4)
            busy.signal()
            for client in clients { #expect(try client.readResponse().status == 200) }
        }
    }

    @Test func aBusyLoopServesInputThatTheLibraryHolds() async throws {
        try await withLoop { loop, addresses, _ in
            let treadmill = Treadmill()
            treadmill.run(on: loop)
            defer { treadmill.stop() }
            let client = try RawClient(addresses[0])
            try client.send((0..<5).map { "GET /a?\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for _ in 0..<5 { #expect(try client.readResponse().status == 200) }
            let socket = try RawClient(addresses[0])
            let head = "GET /ws HTTP/1.1\r\nHost: localhost\r\n\(RawClient.handshake)\r\n"
            try socket.send(Array(head.utf8) + clientFrame(1, Array("early".utf8)))
            #expect(try socket.readHead().status == 101)
            #expect(try socket.readText() == "early")
        }
    }
}
