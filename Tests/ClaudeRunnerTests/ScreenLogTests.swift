import Testing

@testable import ClaudeRunner

struct ScreenLogTests {
    @Test func readsWhatFollows() {
        var log = ScreenLog(capacity: 4)
        log.append([1, 2, 3])
        #expect(log.read(from: 0, atMost: 2).bytes == [1, 2])
        #expect(log.read(from: 2, atMost: 9).bytes == [3])
        #expect(log.read(from: 3, atMost: 9).bytes.isEmpty)
    }

    @Test func keepsTheLastBytes() {
        var log = ScreenLog(capacity: 4)
        for byte in UInt8(0)..<100 { log.append([byte]) }
        #expect(log.end == 100)
        #expect(log.start == 96)
        #expect(log.read(from: 0, atMost: 9).isBroken)
        #expect(Array(log.read(from: log.start, atMost: 9).bytes) == [96, 97, 98, 99])
    }
}

struct TerminalFrameTests {
    private static let frames: [TerminalFrame] = [
        .started(ProcessIdentity(pid: 12, startTime: "345")), .output(Array(repeating: 7, count: 65_536)), .restart,
        .exited(code: 3, signal: nil), .exited(code: nil, signal: 9), .exited(code: nil, signal: nil),
        .failed("no such file"), .input([27, 91]), .resize(.usual), .replay,
    ]

    @Test(arguments: [1, 3, 7, 100_000])
    func passesInPiecesOfAnySize(_ size: Int) {
        let bytes = TerminalFrameTests.frames.flatMap(\.bytes)
        var reader = TerminalFrameReader()
        var read: [TerminalFrame] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            read += reader.append(bytes[start..<min(bytes.count, start + size)])
        }
        #expect(read == TerminalFrameTests.frames)
        #expect(!reader.isBroken)
    }

    @Test(arguments: [
        [UInt8(ascii: "O"), 0, 1, 0, 1], [UInt8(ascii: "?"), 0, 0, 0, 0], [UInt8(ascii: "W"), 0, 0, 0, 1, 49],
    ])
    func refusesWhatIsNoFrame(_ bytes: [UInt8]) {
        var reader = TerminalFrameReader()
        #expect(reader.append(bytes[...]).isEmpty)
        #expect(reader.isBroken)
    }
}
