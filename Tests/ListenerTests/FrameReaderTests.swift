import Testing

@testable import Listener

@Suite struct FrameReaderTests {
    /// Events of all the bytes in pieces of a size.
    private func read(_ bytes: [UInt8], pieces size: Int = .max) throws(FrameReader.Fault) -> [FrameReader.Event] {
        let reader = FrameReader(maximumMessage: 70_000)
        var events: [FrameReader.Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            while let event = try reader.next(&piece) { events.append(event) }
        }
        return events
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]) func aMessageHasAnyLength(_ count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for size in [1, 1000, .max] {
            #expect(try read(clientFrame(2, payload), pieces: size) == [.message(payload, isText: false)])
        }
    }

    @Test func controlFramesMayStandInAMessage() throws {
        let bytes =
            clientFrame(1, Array("a".utf8), final: false) + clientFrame(9, [1]) + clientFrame(0, [], final: false)
            + clientFrame(10, []) + clientFrame(0, Array("b".utf8)) + clientFrame(8, [3, 232])
        for size in [1, 3, .max] {
            #expect(
                try read(bytes, pieces: size) == [
                    .ping([1]), .pong, .message(Array("ab".utf8), isText: true), .close(code: 1000),
                ]
            )
        }
    }

    @Test(
        arguments: [
            ([0x81, 0x01, 0x61], 1002), ([0x81, 0x00], 1002), (clientFrame(3, []), 1002), (clientFrame(11, []), 1002),
            (clientFrame(0, []), 1002), (clientFrame(1, [], final: false) + clientFrame(1, []), 1002),
            (clientFrame(9, [], final: false), 1002), (clientFrame(9, Array(repeating: 0, count: 126)), 1002),
            ([0xc1, 0x80, 0, 0, 0, 0], 1002), ([0x82, 0xfe, 0, 5, 0, 0, 0, 0], 1002),
            ([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], 1002),
            ([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
            (clientFrame(2, Array(repeating: 0, count: 70_001)), 1009),
            (
                clientFrame(2, Array(repeating: 0, count: 40_000), final: false)
                    + clientFrame(0, Array(repeating: 0, count: 30_001)), 1009
            ),
            (clientFrame(1, [0xff]), 1007), (clientFrame(1, [0xc3]), 1007), (clientFrame(1, [0xed, 0xa0, 0x80]), 1007),
            (clientFrame(1, [0xf4, 0x90]), 1007), (clientFrame(1, [0xc0, 0xaf], final: false), 1007),
            (clientFrame(8, [3]), 1002), (clientFrame(8, [3, 237]), 1002), (clientFrame(8, [0, 1]), 1002),
            (clientFrame(8, [3, 232, 0xff]), 1007),
        ] as [([UInt8], UInt16)]
    )
    func aBrokenFrameEndsTheConnection(bytes: [UInt8], code: UInt16) {
        for size in [1, 2, .max] {
            do {
                let events = try read(bytes, pieces: size)
                Issue.record("\(events)")
            } catch {
                #expect(error.code == code)
            }
        }
    }

    @Test func aTextMayBeCutInsideACharacter() throws {
        let text = Array("aé€😀".utf8)
        for cut in 0...text.count {
            let bytes = clientFrame(1, Array(text[..<cut]), final: false) + clientFrame(0, Array(text[cut...]))
            #expect(try read(bytes, pieces: 1) == [.message(text, isText: true)])
        }
    }
}
