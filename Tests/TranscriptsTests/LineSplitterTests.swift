import Signing
import Testing

@testable import Transcripts

@Suite("Lines of pieces")
struct LineSplitterTests {
    private let content = Array("first\n\nthird line — ü\n{\"a\":1}\nunfinished".utf8)

    @Test("cut anywhere, the pieces give the same lines")
    func cuts() {
        for size in 1...content.count {
            var splitter = LineSplitter(at: 0)
            var lines: [LineSplitter.Line] = []
            for start in stride(from: 0, to: content.count, by: size) {
                lines += splitter.take(content[start..<min(start + size, content.count)])
            }
            #expect(
                lines.map { String(decoding: $0.bytes, as: UTF8.self) } == ["first", "", "third line — ü", "{\"a\":1}"]
            )
            #expect(lines.map(\.offset) == [0, 6, 7, 25])
            #expect(splitter.nextOffset == Int64(content.count) && splitter.lineOffset == 33)
        }
    }

    @Test("of a line that is too long the beginning and the size are kept")
    func longLine() {
        var splitter = LineSplitter(at: 5)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<20 { #expect(splitter.take(piece[...]).isEmpty) }
        #expect(splitter.tail.count == LineSplitter.keptBytes)
        #expect(splitter.nextOffset == 5 + 20 << 20)
        let lines = splitter.take(Array("y\nz".utf8)[...])
        #expect(lines.map(\.size) == [20 << 20 + 1] && lines[0].isCut)
        #expect(splitter.tail == Array("z".utf8))
    }
}

@Suite("Positions in files")
struct FilePositionTests {
    private let file = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func hash(_ count: Int) -> [UInt8] { Digest.sha256(Array(file.prefix(count))) }

    private func known(_ count: Int) -> FilePosition {
        var position = FilePosition()
        position.learn(offset: 0, prefix: nil, piece: Array(file.prefix(count)))
        return position
    }

    @Test("what is known is passed over, and a gap is told")
    func offsets() {
        let position = known(5000)
        let piece = Array(file[4500..<6000])
        let prefix = hash(4096)
        #expect(position.decide(offset: 5000, prefix: prefix, piece: piece, next: 5000) == .take(skipping: 0))
        #expect(position.decide(offset: 4500, prefix: prefix, piece: piece, next: 5000) == .take(skipping: 500))
        #expect(position.decide(offset: 4500, prefix: prefix, piece: piece, next: 9000) == .take(skipping: 1500))
        #expect(position.decide(offset: 5001, prefix: prefix, piece: piece, next: 5000) == .gap(5000))
    }

    @Test("another beginning is another file")
    func replaced() {
        let position = known(5000)
        #expect(position.decide(offset: 5000, prefix: hash(10), piece: [1], next: 5000) == .gap(0))
        #expect(position.decide(offset: 0, prefix: nil, piece: file.reversed(), next: 5000) == .restart)
        #expect(position.decide(offset: 0, prefix: nil, piece: Array(file.prefix(100)), next: 5000) == .restart)
        #expect(position.decide(offset: 0, prefix: nil, piece: file, next: 5000) == .take(skipping: 5000))
        #expect(position.decide(offset: 0, prefix: nil, piece: [], next: 5000) == .take(skipping: 0))
    }

    @Test("a short beginning is replaced by a longer one that the sender states")
    func learning() {
        var position = known(100)
        #expect(position.decide(offset: 100, prefix: hash(100), piece: [1], next: 100) == .take(skipping: 0))
        #expect(position.decide(offset: 100, prefix: hash(99), piece: [1], next: 100) == .gap(0))
        position.learn(offset: 6000, prefix: hash(4096), piece: [1])
        #expect(position.prefixLength == 4096)
        #expect(position.decide(offset: 7000, prefix: hash(100), piece: [1], next: 7000) == .gap(0))
    }
}
