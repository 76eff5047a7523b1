import Testing

@testable import ClaudeRunner

@Suite struct LineBufferTests {
    private func lines(_ pieces: [String], limit: Int = 10) -> [LineBuffer.Line] {
        var buffer = LineBuffer(limit: limit)
        return pieces.flatMap { buffer.append(Array($0.utf8)[...]) }
    }

    private func text(_ text: String) -> LineBuffer.Line { .text(Array(text.utf8)) }

    @Test func linesAreCut() {
        #expect(lines(["a\nb", "c\n\nd"]) == [text("a"), text("bc")])
        #expect(lines(["a", "b", "\n", "c\n"]) == [text("ab"), text("c")])
    }

    @Test func aLineAsLongAsTheLimitIsKept() {
        #expect(lines(["0123456789\n"]) == [text("0123456789")])
        #expect(lines(["01234", "56789", "\na\n"]) == [text("0123456789"), text("a")])
    }

    @Test func aLongerLineIsLostAndTheNextIsNot() {
        #expect(lines(["0123456789a\nb\n"]) == [.tooLong, text("b")])
        #expect(lines(["01234", "567890", "1", "2\nb\n"]) == [.tooLong, text("b")])
    }

    @Test func thirtyTwoMegabytesAreOneLine() {
        var buffer = LineBuffer()
        let piece = [UInt8](repeating: 97, count: 1 << 20)
        for _ in 0..<32 { #expect(buffer.append(piece[...]).isEmpty) }
        guard case .text(let line) = buffer.append([10]).first else {
            Issue.record("no line")
            return
        }
        #expect(line.count == 32 << 20)
    }
}

@Suite struct PipeRoomTests {
    private let capacity = 1 << 20

    @Test func anEmptyPipeTakesAlmostAllOfItsSize() {
        #expect(PipeRoom.fits(capacity - 4096, capacity: capacity, unread: 0))
        #expect(!PipeRoom.fits(capacity, capacity: capacity, unread: 0))
    }

    /// Half-filled pages are the worst that the kernel makes of small writes.
    @Test func unreadBytesMayLieInHalfFilledPages() {
        #expect(PipeRoom.fits(4096, capacity: capacity, unread: 250 * 2048))
        #expect(!PipeRoom.fits(4096, capacity: capacity, unread: 256 * 2048))
        #expect(!PipeRoom.fits(1, capacity: 4096, unread: 0))
    }
}
