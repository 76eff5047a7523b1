import Foundation
import HTTPModel
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct StreamTests {
    @Test func aStreamStaysOpenUntilItIsClosed() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try client.readHead()
            #expect(head.headers["connection"] == "close")
            #expect(head.headers["content-length"] == nil)
            #expect(try client.read(6) == Array(": hi\n\n".utf8))
            let outcome = await loop.onChannel { $0.send(Array("data: 1\n\n".utf8), to: $1) }
            #expect(outcome == .sent)
            #expect(try client.read(9) == Array("data: 1\n\n".utf8))
            await loop.onChannel { $0.close($1, code: 1000, reason: "") }
            #expect(try client.isClosedByServer())
            try await journal.wait(for: "closed")
            #expect(await loop.channelCount == 0)
        }
    }

    @Test func aStreamWhoseClientLeftIsNoticedByWriting() async throws {
        try await withLoop { loop, addresses, journal in
            do {
                let client = try RawClient(addresses[0])
                try client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.readHead()
                try await journal.wait(for: "stream")
            }
            for _ in 0..<20 where await loop.channelCount > 0 {
                _ = await loop.onChannel { $0.send(Array("data: 1\n\n".utf8), to: $1) }
                try await Task.sleep(for: .milliseconds(10))
            }
            try await journal.wait(for: "closed")
        }
    }

    @Test func aWaitingConnectionDoesNotSpin() async throws {
        try await withLoop { loop, addresses, journal in
            // Each kind of input that the library would poll for in vain while an answer is awaited.
            let pipelined = try RawClient(addresses[0])
            let get = "GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let post = "POST /never HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"
            try pipelined.send(get + get)
            let posted = try RawClient(addresses[0])
            try posted.send(post + post)
            let second = try RawClient(addresses[0])
            try second.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n" + get + get + get)
            _ = try second.readResponse()
            let ended = try RawClient(addresses[0])
            try ended.send(get)
            ended.endOutput()
            let stream = try RawClient(addresses[0])
            try stream.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try stream.readHead()
            stream.endOutput()
            try await Task.sleep(for: .milliseconds(100))
            let before = await loop.cpuSeconds()
            try await Task.sleep(for: .milliseconds(500))
            let used = await loop.cpuSeconds() - before
            #expect(used < 0.2, "\(used) s of CPU in half a second")
        }
    }
}
