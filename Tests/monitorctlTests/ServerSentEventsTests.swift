import Testing

@testable import monitorctl

struct ServerSentEventsTests {
    typealias Message = ServerSentEvents.Message

    static let stream = Array(
        "\u{FEFF}: hello\n\nid: e1:7\nevent: prompt\ndata: {\"a\":1}\n\n: beat\r\n\r\ndata:x\ndata:  y\n\nid: e1:9\n\n"
            .utf8
    )
    static let messages = [
        Message(event: "prompt", data: "{\"a\":1}", lastEventID: "e1:7"),
        Message(event: "message", data: "x\n y", lastEventID: "e1:7"),
    ]

    @Test func wholeStream() throws {
        var parser = ServerSentEvents()
        #expect(try parser.receive(Self.stream) == Self.messages)
        #expect(parser.lastEventID == "e1:9", "a block without data moves the id")
    }

    @Test func byteByByte() throws {
        var parser = ServerSentEvents()
        var found: [Message] = []
        for byte in Self.stream { found += try parser.receive([byte]) }
        #expect(found == Self.messages)
    }

    @Test func everySplit() throws {
        for cut in Self.stream.indices {
            var parser = ServerSentEvents()
            let found = try parser.receive(Self.stream[..<cut]) + parser.receive(Self.stream[cut...])
            #expect(found == Self.messages, "split at \(cut)")
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func everyLineEnding(_ ending: String) throws {
        var parser = ServerSentEvents()
        let text = ["event: a", "data: 1", "", "data: 2", "", ""].joined(separator: ending)
        let found = try parser.receive(Array(text.utf8))
        #expect(found.map(\.event) == ["a", "message"])
        #expect(found.map(\.data) == ["1", "2"])
    }

    @Test func unfinishedBlockIsNotShownAndItsIDNotTaken() throws {
        var parser = ServerSentEvents()
        #expect(try parser.receive(Array("id: e:5\ndata: half\n".utf8)).isEmpty)
        #expect(parser.lastEventID == nil)
    }

    @Test func idWithNULIsIgnored() throws {
        var parser = ServerSentEvents()
        let found = try parser.receive(Array("id: e:1\ndata: a\n\nid: b\0d\ndata: b\n\n".utf8))
        #expect(found.map(\.lastEventID) == ["e:1", "e:1"])
    }

    @Test func fieldWithoutColonAndUnknownField() throws {
        var parser = ServerSentEvents()
        let found = try parser.receive(Array("data\nnonsense: 1\nretry: 1500\nretry: soon\n\n".utf8))
        #expect(found.map(\.data) == [""])
        #expect(parser.retry == 1500)
    }

    @Test func blockBeyondTheBoundIsRefused() {
        var parser = ServerSentEvents(limit: 64)
        #expect(throws: ServerSentEvents.TooLong()) {
            try parser.receive(Array("data: \(String(repeating: "x", count: 80))".utf8))
        }
    }
}
