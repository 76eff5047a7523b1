import Foundation
import HTTPModel
import Synchronization
import Testing

@testable import Listener

/// Responses whose body a producer writes in pieces.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BodyStreamTests {
    @Test func aStreamedBodyComesInChunksAndTheConnectionIsKept() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            for _ in 0..<2 {
                try client.send("GET /pieces?5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try client.readHead()
                #expect(head.headers["transfer-encoding"] == "chunked")
                #expect(head.headers["content-length"] == nil && head.headers["connection"] == nil)
                #expect(
                    try client.readChunks() == [
                        "first\n", "piece 0\n", "piece 1\n", "piece 2\n", "piece 3\n", "piece 4\n",
                    ]
                )
            }
            #expect(try client.get("/echo").status == 200)
        }
    }

    @Test func aRequestBehindAStreamedBodyIsServedAfterIt() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let get = "GET /pieces?2 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send(get + get + "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for _ in 0..<2 {
                _ = try client.readHead()
                #expect(try client.readChunks() == ["first\n", "piece 0\n", "piece 1\n"])
            }
            #expect(try client.readResponse().text == "GET /echo? 0")
        }
    }

    @Test func anOldClientReadsToTheEndOfTheConnection() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET /pieces?2 HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n")
            let head = try client.readHead()
            #expect(head.headers["transfer-encoding"] == nil && head.headers["connection"] == "close")
            #expect(String(decoding: try client.readToEnd(), as: UTF8.self) == "first\npiece 0\npiece 1\n")
        }
    }

    @Test func headHasTheHeadersAndNoBody() async throws {
        try await withLoop { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send("HEAD /pieces?2 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try client.readHead()
            #expect(head.status == 200 && head.headers["content-length"] == nil)
            #expect(try client.get("/echo").status == 200)
            #expect(!journal.all.contains { $0.hasPrefix("wrote") })
        }
    }

    @Test func aProducerThatFailsCutsTheBodyOff() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET /pieces?fail HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.readHead()
            let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(rest == "6\r\nfirst\n\r\n")
        }
    }

    @Test func aProducerIsAsFastAsItsClientReads() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 65_536)
            try client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.readHead()
            // The kernel's buffers fill, then one piece waits.
            try await untilStill(journal, loop)
            let written = journal.all.count { $0 == "wrote" }
            let waiting = await loop.turn { $0.channels.values.first?.channel?.backlog.count ?? 0 }
            #expect((1...(80 * 1024)).contains(waiting), "\(waiting) bytes wait")
            _ = try client.read(8 << 20)
            try await journal.wait(for: "wrote", times: written + 10)
        }
    }

    @Test func writesThatDoNotWaitAreCutOffAtTheBound() async throws {
        try await withLoop(configure: { $0.maxPendingBytes = 64 * 1024 }) { _, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 4096)
            try client.send("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.readHead()
            try await journal.wait(for: "flood ended")
            let body = try client.readToEnd()
            #expect(body.count < 8 << 20 && !body.suffix(5).elementsEqual(ChunkedBody.end))
        }
    }

    @Test func aClientThatHasGoneCancelsTheProducer() async throws {
        try await withLoop { loop, addresses, journal in
            do {
                let client = try RawClient(addresses[0])
                try client.send("GET /quiet HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.readHead()
                try await journal.wait(for: "quiet")
            }
            try await journal.wait(for: "cancelled")
            #expect(await loop.channelCount == 0)
        }
    }

    @Test func aClientThatReadsNothingEndsTheStream() async throws {
        try await withLoop(configure: { $0.stallSeconds = 1 }) { _, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 4096)
            try client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.readHead()
            try await journal.wait(for: "stream ended")
            withExtendedLifetime(client) {}
        }
    }

    @Test func stopCutsAStreamedBodyOff() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send("GET /quiet HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.readHead()
            try await journal.wait(for: "quiet")
            await loop.stop(graceSeconds: 3)
            #expect(String(decoding: try client.readToEnd(), as: UTF8.self) == "6\r\nfirst\n\r\n")
            try await journal.wait(for: "cancelled")
        }
    }

    /// Until something waits and nothing was written for a while.
    private func untilStill(_ journal: Journal, _ loop: NetworkLoop) async throws {
        var (before, isWaiting) = (-1, false)
        while before != journal.all.count || !isWaiting {
            before = journal.all.count
            try await Task.sleep(for: .milliseconds(300))
            isWaiting = await loop.turn { ($0.channels.values.first?.channel?.backlog.count ?? 0) > 0 }
        }
    }
}

extension RawClient {
    func readChunks() throws -> [String] {
        var chunks: [String] = []
        while true {
            var line: [UInt8] = []
            while line.suffix(2) != [13, 10] { line += try read(1) }
            let digits = String(decoding: line.dropLast(2), as: UTF8.self)
            guard let count = Int(digits, radix: 16) else { throw Failure(description: "no length: \(digits)") }
            let chunk = try read(count + 2)
            if count == 0 { return chunks }
            chunks.append(String(decoding: chunk.dropLast(2), as: UTF8.self))
        }
    }
}
