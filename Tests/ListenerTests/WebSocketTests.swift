import Foundation
import HTTPModel
import Testing

@testable import Listener

@Suite(.serialized, .timeLimit(.minutes(5))) struct WebSocketTests {
    @Test func echoes() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            let response = try client.upgrade("/ws?a=b")
            #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(response.headers["x-request-id"]?.hasPrefix("req_") == true)
            #expect(response.headers["sec-websocket-protocol"] == nil)
            #expect(response.headers["sec-websocket-extensions"] == nil)
            for text in ["hello", "", String(repeating: "x", count: 200), String(repeating: "y", count: 70_000)] {
                try client.send(clientFrame(1, Array(text.utf8)))
                #expect(try client.readText() == text)
            }
            try client.send(clientFrame(2, [0, 255, 1]))
            let binary = try client.readFrame()
            #expect(binary.opcode == 2 && binary.payload == [0, 255, 1])
            #expect(journal.all.contains("opened /ws?a=b"))
            #expect(await loop.channelCount == 1)
        }
    }

    @Test func joinsFragmentsAroundControlFrames() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(1, Array("one ".utf8), final: false))
            try client.send(clientFrame(9, Array("ping".utf8)))
            try client.send(clientFrame(0, Array("two ".utf8), final: false))
            try client.send(clientFrame(0, Array("three".utf8)))
            let pong = try client.readFrame()
            #expect(pong.opcode == 10 && pong.payload == Array("ping".utf8))
            #expect(try client.readText() == "one two three")
        }
    }

    @Test func aPongIsSentBeforeTheMessageItsPingInterrupted() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            let message =
                clientFrame(1, Array("one ".utf8), final: false) + clientFrame(9, Array("ping".utf8))
                + clientFrame(0, Array("two".utf8))
            let others = (0..<20).flatMap { clientFrame(1, Array("\($0)".utf8)) }
            for _ in 0..<50 {
                try client.send(message + others)
                let pong = try client.readFrame()
                #expect(pong.opcode == 10 && pong.payload == Array("ping".utf8))
                #expect(try client.readText() == "one two")
                for number in 0..<20 { #expect(try client.readText() == "\(number)") }
            }
        }
    }

    @Test func aMessageInFramesRightBeforeTheCloseIsAnswered() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(
                clientFrame(1, Array("one ".utf8), final: false) + clientFrame(0, Array("two".utf8))
                    + clientFrame(8, [0x03, 0xe8])
            )
            #expect(try client.readText() == "one two")
            #expect(try client.readClose() == 1000)
        }
    }

    @Test func takesBytesInAnyPieces() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            for byte in clientFrame(1, Array("bytewise".utf8)) { try client.send([byte]) }
            #expect(try client.readText() == "bytewise")
            try client.send((0..<50).flatMap { clientFrame(1, Array("\($0)".utf8)) })
            for number in 0..<50 { #expect(try client.readText() == "\(number)") }
        }
    }

    @Test func framesSentTogetherWithTheUpgradeAreKept() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let head = "GET /ws HTTP/1.1\r\nHost: localhost\r\n\(RawClient.handshake)\r\n"
            try client.send(Array(head.utf8) + clientFrame(1, Array("early".utf8)))
            #expect(try client.readHead().status == 101)
            #expect(try client.readText() == "early")
        }
    }

    /// The library holds the message's start while the close frame leaves.
    @Test func tooLargeAMessageRightBehindTheUpgradeIs1009() async throws {
        try await withLoop(configure: { $0.maxMessageBytes = 4096 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let head = "GET /ws HTTP/1.1\r\nHost: localhost\r\n\(RawClient.handshake)\r\n"
            try client.send(Array(head.utf8) + clientFrame(1, Array(repeating: 0x78, count: 20_000)))
            #expect(try client.readHead().status == 101)
            #expect(try client.readClose() == 1009)
        }
    }

    @Test func tooLargeAMessageIs1009() async throws {
        try await withLoop(configure: { $0.maxMessageBytes = 65_536 }) { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(1, [UInt8](repeating: 65, count: 65_536)))
            #expect(try client.readFrame().payload.count == 65_536)
            try client.send(clientFrame(1, [UInt8](repeating: 65, count: 40_000), final: false))
            try client.send(clientFrame(0, [UInt8](repeating: 65, count: 40_000)))
            #expect(try client.readClose() == 1009)
            try await journal.wait(for: "closed")
        }
    }

    @Test func textThatIsNotUTF8Is1007() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(1, [0xc3, 0x28]))
            #expect(try client.readClose() == 1007)
        }
    }

    @Test func theServerClosesWithItsCode() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(1, Array("close 4001".utf8)))
            let frame = try client.readFrame()
            #expect(frame.opcode == 8)
            #expect(frame.payload == [0x0f, 0xa1] + Array("asked".utf8))
            #expect(await loop.onChannel { $0.send(serverFrame(1, [65]), to: $1) } == .gone)
            try client.send(clientFrame(8, [0x0f, 0xa1]))
            #expect(try client.isClosedByServer())
            try await journal.wait(for: "closed")
            #expect(await loop.channelCount == 0)
        }
    }

    @Test func theClientsCloseIsAnswered() async throws {
        try await withLoop { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(8, [0x03, 0xe8]))
            #expect(try client.readClose() == 1000)
            try await journal.wait(for: "closed")
        }
    }

    @Test func inputAfterTheClientsCloseIsIgnored() async throws {
        try await withLoop { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(
                clientFrame(1, Array("half".utf8), final: false) + clientFrame(8, [3, 232])
                    + clientFrame(0, Array("whole".utf8)) + clientFrame(1, Array("more".utf8))
            )
            let answer = try client.readFrame()
            #expect(answer.opcode == 8)
            try await journal.wait(for: "closed")
        }
    }

    @Test func aClientThatVanishesIsClosed() async throws {
        try await withLoop { loop, addresses, journal in
            do {
                let client = try RawClient(addresses[0])
                try client.upgrade()
            }
            try await journal.wait(for: "closed")
            #expect(await loop.channelCount == 0)
        }
    }

    @Test func aSlowReaderGetsEverythingAndDrainedIsCalled() async throws {
        try await withLoop(configure: { $0.maxPendingBytes = 64 << 20 }) { loop, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 4096)
            try client.upgrade()
            try await journal.wait(for: "opened /ws?")
            let payload = [UInt8](repeating: 66, count: 10_000)
            let waited = await loop.onChannel { loop, channel in
                (0..<1000).reduce(into: false) { waited, number in
                    let bytes = Array("\(number) ".utf8) + payload
                    if case .waiting = loop.send(serverFrame(1, bytes), to: channel) { waited = true }
                }
            }
            #expect(waited == true)
            for number in 0..<1000 {
                let text = try client.readText()
                #expect(text.hasPrefix("\(number) B") && text.utf8.count == 10_000 + "\(number) ".utf8.count)
            }
            try await journal.wait(for: "drained")
            #expect(await loop.onChannel { $0.send(serverFrame(1, [65]), to: $1) } == .sent)
            #expect(try client.readText() == "A")
        }
    }

    @Test func aReaderThatIsTooSlowIsClosedWith4008() async throws {
        try await withLoop { loop, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 4096)
            try client.upgrade()
            try await journal.wait(for: "opened /ws?")
            let frame = serverFrame(1, [UInt8](repeating: 66, count: 100_000))
            let outcomes = await loop.onChannel { loop, channel in
                var outcomes: [SendOutcome] = []
                repeat {
                    outcomes.append(loop.send(frame, to: channel))
                } while outcomes.last != .gone && outcomes.count < 1000
                return outcomes
            }
            #expect(outcomes?.last == .gone)
            #expect(try client.readClose() == 4008)
        }
    }

    @Test func aKnownSubprotocolIsChosen() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            let response = try client.upgrade("/ws", "Sec-WebSocket-Protocol: other, cdev\r\n")
            #expect(response.headers["sec-websocket-protocol"] == "cdev")
            try client.send(clientFrame(1, Array("x".utf8)))
            #expect(try client.readText() == "x")
        }
    }

    @Test(arguments: [
        ("wrong version", 426, RawClient.handshake.replacingOccurrences(of: "13", with: "8"), "localhost", "/ws"),
        (
            "no version", 426, RawClient.handshake.replacingOccurrences(of: "Sec-WebSocket-Version: 13\r\n", with: ""),
            "localhost", "/ws"
        ),
        (
            "no key", 400, RawClient.handshake.replacingOccurrences(of: "Sec-WebSocket-Key", with: "X-Key"),
            "localhost", "/ws"
        ),
        (
            "no connection", 400, RawClient.handshake.replacingOccurrences(of: "Connection: Upgrade\r\n", with: ""),
            "localhost", "/ws"
        ),
        ("foreign origin", 403, RawClient.handshake + "Origin: https://evil.example\r\n", "localhost", "/ws"),
        ("foreign host", 421, RawClient.handshake, "evil.example", "/ws"),
        ("unknown subprotocol", 400, RawClient.handshake + "Sec-WebSocket-Protocol: other\r\n", "localhost", "/ws"),
        ("refused by the handler", 401, RawClient.handshake, "localhost", "/secret"),
    ])
    func badUpgradesAreAnswered(_ name: String, _ status: Int, _ headers: String, _ host: String, _ path: String)
        async throws
    {
        try await withLoop { loop, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n")
            let response = try client.readResponse()
            #expect(response.status == status)
            #expect(response.text.contains("\"error\""))
            #expect(try client.isClosedByServer())
            #expect(await loop.channelCount == 0)
        }
    }

    @Test func anUpgradeAfterARequestOnTheSameConnection() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            #expect(try client.get("/echo").status == 200)
            try client.upgrade()
            try client.send(clientFrame(1, Array("x".utf8)))
            #expect(try client.readText() == "x")
        }
    }
}
