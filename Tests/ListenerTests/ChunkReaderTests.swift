import Testing

@testable import Listener

@Suite struct ChunkReaderTests {
    private struct Outcome: Equatable {
        var body: String
        var rest: String
        var isComplete: Bool
    }

    /// Reads `text` in pieces of `size` bytes, up to the end of the body.
    private func read(_ text: String, limit: Int = 1000, pieces size: Int = .max) throws(ChunkReader.Fault) -> Outcome {
        var reader = ChunkReader(limit: limit)
        var body: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = try reader.read(rest.prefix(size))
            body += piece.data
            rest = rest.dropFirst(piece.used)
            if piece.isComplete {
                let rest = String(decoding: rest, as: UTF8.self)
                return Outcome(body: String(decoding: body, as: UTF8.self), rest: rest, isComplete: true)
            }
        }
        return Outcome(body: String(decoding: body, as: UTF8.self), rest: "", isComplete: false)
    }

    @Test(arguments: [1, 2, 3, 7, Int.max])
    func aBodyIsTheDataOfItsChunksAndEndsWithTheEmptyLine(pieces: Int) throws {
        let text = "5\r\nhello\r\n1\r\n \r\nA\r\nnice\r\n0\r\n\r\r\n0\r\n\r\nGET /next"
        let read = try read(text, pieces: pieces)
        #expect(read == Outcome(body: "hello nice\r\n0\r\n\r", rest: "GET /next", isComplete: true))
    }

    @Test func anEmptyBodyIsTheLastChunkAlone() throws {
        let read = try read("0\r\n\r\n")
        #expect(read == Outcome(body: "", rest: "", isComplete: true))
    }

    @Test(arguments: [1, Int.max])
    func extensionsAndTrailersAreDropped(pieces: Int) throws {
        let text = "3;a;b=\"c;d\" ; e\r\nabc\r\n0;last\r\nX-Sum: 1\r\nContent-Lengths:9\r\nEmpty:\r\n\r\nrest"
        let read = try read(text, pieces: pieces)
        #expect(read == Outcome(body: "abc", rest: "rest", isComplete: true))
    }

    @Test(arguments: ["1ff\r\n", "1FF\r\n", "1fF;x\r\n"])
    func aSizeHasDigitsOfEitherCase(line: String) throws {
        let read = try read(line + String(repeating: "a", count: 511) + "\r\n0\r\n\r\n")
        #expect(read.body.count == 511 && read.isComplete)
    }

    @Test(arguments: [
        "", "5", "5\r", "5\r\n", "5\r\nhell", "5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n", "0", "0\r\n", "0\r\n\r",
        "0\r\nX: y\r\n", "0\r\nX: y\r\n\r", "0;ext",
    ])
    func aBodyThatStopsIsIncomplete(text: String) throws {
        #expect(try !read(text).isComplete)
    }

    @Test(arguments: [
        "\r\n", " 5\r\n", "5 \r\n", "5\t;a\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "5h\r\n", ";a\r\n", "05\r\n", "00\r\n",
        "000000001\r\n", "100000000\r\n", "FFFFFFFFFFFFFFFFF\r\n", "5\nhello", "5\rhello", "5;a\nhello", "5;\u{0}\r\n",
        "5;a\rb\r\n", "5\r\nhello\n", "5\r\nhello\r0", "5\r\nhello0\r\n", "5\r\nhello!\r\n", "0\n\n", "0\r\n\n",
        "0\r\nX\r\n\r\n", "0\r\n: y\r\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX : y\r\n\r\n", "0\r\nX: y\n\r\n",
        "0\r\nX: a\r\n b\r\n\r\n", "0\r\nX: \u{0}\r\n\r\n", "0\r\nGET / HTTP/1.1\r\n\r\n",
    ])
    func everyOtherFormIsRefused(text: String) {
        for size in [1, Int.max] {
            #expect(throws: ChunkReader.Fault.malformed) { try read(text, pieces: size) }
        }
    }

    @Test(arguments: ["Content-Length: 0", "content-length:y", "Transfer-Encoding: chunked", "tRANSFER-eNCODING:"])
    func aTrailerThatWouldFrameABodyIsRefused(field: String) {
        let text = "0\r\nX: y\r\n\(field)\r\n\r\n"
        for size in [1, Int.max] {
            #expect(throws: ChunkReader.Fault.forbiddenTrailer) { try read(text, pieces: size) }
        }
    }

    @Test func aBodyKeepsItsLimit() throws {
        #expect(try read("5\r\nhello\r\n0\r\n\r\n", limit: 5).isComplete)
        // Refused by the size alone, before the data arrives.
        #expect(throws: ChunkReader.Fault.tooLarge(limit: 5)) { try read("6\r\n", limit: 5) }
        #expect(throws: ChunkReader.Fault.tooLarge(limit: 5)) { try read("5\r\nhello\r\n1\r\n", limit: 5) }
        #expect(throws: ChunkReader.Fault.tooLarge(limit: 0)) { try read("FFFFFFFF\r\n", limit: 0) }
    }

    @Test func extensionsAndTrailersShareALimit() throws {
        let half = String(repeating: "x", count: ChunkReader.maximumExtras / 2)
        #expect(try read("1;\(half.dropLast(1))\r\na\r\n0\r\n\(half.dropLast(1)):\r\n\r\n").isComplete)
        #expect(throws: ChunkReader.Fault.tooManyExtras) { try read("1;\(half)\r\na\r\n0;\(half)\r\n") }
        #expect(throws: ChunkReader.Fault.tooManyExtras) { try read("1;\(half)\r\na\r\n0\r\nX: \(half)\r\n") }
        let many = String(repeating: "1;\r\na\r\n", count: ChunkReader.maximumExtras)
        #expect(try !read(many, limit: .max).isComplete)
        #expect(throws: ChunkReader.Fault.tooManyExtras) { try read(many + "1;\r\n", limit: .max) }
    }

    @Test func aFaultSaysWhatIsWrong() {
        #expect(ChunkReader.Fault.malformed.error.code == "bad_chunk")
        #expect(ChunkReader.Fault.tooManyExtras.error.status == 400)
        #expect(ChunkReader.Fault.tooLarge(limit: 7).error.status == 413)
    }
}
