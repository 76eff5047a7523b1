import Foundation
import Testing

@testable import Listener

/// A client that was closed and goes on sending still gets to read why, and is cut off in the end.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClosingTests {
    private static let asking = clientFrame(1, Array("close 4029".utf8))
    private static let flood = [UInt8](
        (0..<64).map { _ in clientFrame(1, [UInt8](repeating: 0x78, count: 16_000)) }.joined()
    )

    @Test func inputAfterTheCloseIsDroppedAndTheCodeArrives() async throws {
        // The client of a busy machine needs more than the usual seconds to send it all.
        try await withLoop(configure: { $0.closeSeconds = 60 }) { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking)
            for _ in 0..<8 { try client.send(Self.flood) }
            #expect(try client.readClose() == 4029)
            try client.send(clientFrame(8, [0x0f, 0xbd]))
            #expect(try client.isClosedByServer())
            #expect(journal.all.filter { $0 == "closed" }.count == 1)
            #expect(await loop.channelCount == 0)
        }
    }

    @Test(arguments: [(payload: 16_000, frames: 64), (payload: 0, frames: 100_000)])
    func endlessInputAfterTheCloseIsCutOff(payload: Int, frames: Int) async throws {
        try await withLoop(configure: {
            $0.closeSeconds = 600
            $0.closeDropBytes = 4 << 20
        }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking)
            let frame = clientFrame(1, [UInt8](repeating: 0x78, count: payload))
            let flood = [UInt8]((0..<frames).map { _ in frame }.joined())
            var sent = 0
            while sent < 64 << 20, (try? client.send(flood)) != nil { sent += flood.count }
            // More than is dropped: what the kernel holds on both sides.
            #expect(sent >= 4 << 20 && sent < 64 << 20)
        }
    }

    @Test func aClientThatDoesNotAnswerTheCloseIsCutOff() async throws {
        try await withLoop(configure: { $0.closeSeconds = 1 }) { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking)
            #expect(try client.readClose() == 4029)
            try await journal.wait(for: "closed")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aClientThatDoesNotAnswerTheCloseHasTimeForIt() async throws {
        try await withLoop(configure: { $0.closeSeconds = 600 }) { loop, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking)
            #expect(try client.readClose() == 4029)
            try await journal.wait(for: "closed")
            #expect(await loop.turn { $0.connections.count } == 1)
        }
    }

    @Test func aClientThatEndsDuringItsFloodReadsTheCode() async throws {
        try await withLoop { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking + Self.flood)
            client.endOutput()
            #expect(try client.readClose() == 4029)
            #expect(try client.isClosedByServer())
            try await journal.wait(for: "closed")
        }
    }

    @Test func aMessageSentTogetherWithTheEndIsAnswered() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(1, Array("last".utf8)))
            client.endOutput()
            #expect(try client.readText() == "last")
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aBrokenFrameEndsTheConnectionAtOnce() async throws {
        try await withLoop(configure: { $0.closeSeconds = 60 }) { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(clientFrame(3, []))
            #expect(try client.readClose() == 1002)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func bothClosingAtOnceIsOneCloseFrame() async throws {
        try await withLoop { _, addresses, _ in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking + clientFrame(8, [0x03, 0xe8]))
            #expect(try client.readClose() == 4029)
            #expect(try client.isClosedByServer())
        }
    }

    @Test func aClosingConnectionCountsTowardsTheLimit() async throws {
        try await withLoop(configure: {
            $0.maxConnections = 1
            $0.closeSeconds = 60
        }) { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            try client.send(Self.asking)
            try await journal.wait(for: "closed")
            #expect(try RawClient(addresses[0]).readHead().status == 503)
            try client.send(clientFrame(8, [0x0f, 0xbd]))
            #expect(try client.readClose() == 4029)
            #expect(try client.isClosedByServer())
            #expect(try RawClient(addresses[0]).get("/").status == 200)
        }
    }

    @Test func aReasonIsCutToTheSizeOfAControlFrame() {
        let frame = CloseFrame.bytes(code: 4008, reason: String(repeating: "r", count: 200))
        #expect(frame.count == 127 && frame.prefix(4) == [0x88, 125, 0x0f, 0xa8])
        #expect(CloseFrame.bytes(code: 1000, reason: "") == [0x88, 2, 3, 232])
    }
}
