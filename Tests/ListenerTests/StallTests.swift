import Foundation
import Testing

@testable import Listener

/// Peers that take nothing, or little, of what is sent to them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StallTests {
    @Test func aReaderThatTakesNothingIsCutOff() async throws {
        try await withLoop(configure: { $0.stallSeconds = 1 }) { loop, addresses, journal in
            let client = try RawClient(addresses[0], receiveBuffer: 4096)
            try client.upgrade()
            try await journal.wait(for: "opened /ws?")
            _ = await loop.onChannel { $0.send(serverFrame(1, [UInt8](repeating: 66, count: 20_000_000)), to: $1) }
            try await journal.wait(for: "closed")
        }
    }

    @Test func aSlowReaderOfALargeFrameIsNotCutOff() async throws {
        try await withLoop(configure: {
            // Shorter than the eight seconds that the client takes, and longer than a busy machine stops the client.
            $0.stallSeconds = 5
            $0.pingSeconds = 1
            $0.pongSeconds = 5
        }) { _, addresses, journal in
            let size = 20_000_000
            let client = try RawClient(addresses[0], receiveBuffer: 262_144)
            // The server sends the frame at once, and the test reads it without an await. During an await, other tests
            // could block all threads for longer than stallSeconds.
            try client.upgrade("/ws?size=\(size)")
            var left = serverFrame(1, [UInt8](repeating: 66, count: size)).count
            for _ in 0..<80 {
                left -= try client.read(131_072).count
                usleep(100_000)
            }
            #expect(!journal.all.contains("closed"))
            left -= try client.read(left).count
            #expect(left == 0)
            #expect(try client.readFrame().opcode == 9)
        }
    }

    @Test func aSilentPeerIsPingedAndCutOff() async throws {
        try await withLoop(configure: {
            $0.pingSeconds = 1
            $0.pongSeconds = 2
        }) { _, addresses, journal in
            let client = try RawClient(addresses[0])
            try client.upgrade()
            let first = try client.readFrame()
            #expect(first.opcode == 9)
            try client.send(clientFrame(10, first.payload))
            // Another ping: the answered one has not ended the connection.
            #expect(try client.readFrame().opcode == 9)
            #expect(try client.isClosedByServer())
            try await journal.wait(for: "closed")
        }
    }
}
