import Testing

@testable import WSFanout

@Suite("Frames as the first clients' documents print them")
struct SeedFramesTests {
    private let members = #""event":"x","timestamp":"2026-01-05T10:00:00.123Z","payload":{}"#
    private let short = #""event":"x","timestamp":"2026-01-05T10:00:00Z","payload":{}"#
    private let opening = #"{"jsonrpc":"2.0","method":"event/x""#

    @Test("an event has its members on top in text and in binary frames", arguments: [false, true])
    func event(isBinary: Bool) {
        let frame = WebSocketFrame.text(Array("\(opening),\"params\":{\(members)}}".utf8))
        var expected = WebSocketFrame.text(Array("\(opening),\(short),\"params\":{\(short)}}".utf8))
        if isBinary { expected[0] = 0x82 }
        #expect(SeedFrames.of(frame + frame, isBinary: isBinary) == expected + expected)
    }

    @Test("messages name their session in the payload, and have the input of a call as text")
    func payloads() throws {
        let call = #"{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"a"}}"#
        let printed = call.replacing(#""input":{"file_path":"a"}"#, with: #""input":"{\"file_path\":\"a\"}""#)
        for (name, payload, expected) in [
            ("claude_message", #"{"role":"user","content":[\#(call)]}"#, #""role":"user","content":[\#(printed)]"#),
            ("claude_log", #"{"message":{"content":[\#(call)]}}"#, #""message":{"content":[\#(printed)]}"#),
            ("claude_log", "{}", ""),
        ] {
            let head = #"{"jsonrpc":"2.0","method":"event/\#(name)""#
            let frame = WebSocketFrame.text(
                Array(#"\#(head),"params":{"event":"\#(name)","session_id":"s","payload":\#(payload)}}"#.utf8)
            )
            let session = #""session_id":"s""# + (expected.isEmpty ? "" : ",")
            let members = #""event":"\#(name)","session_id":"s","payload":{\#(session)\#(expected)}"#
            let told = WebSocketFrame.text(Array(#"\#(head),\#(members),"params":{\#(members)}}"#.utf8))
            #expect(SeedFrames.of(frame, isBinary: false) == told)
        }
    }

    @Test("other frames, blocks of an event stream and a cut frame keep their form")
    func others() {
        let block = Array("data: {\(members)}\n\n".utf8)
        #expect(SeedFrames.of(block, isBinary: false) == Array("data: {\(short)}\n\n".utf8))
        let frame = WebSocketFrame.text(Array("{\(members)}".utf8))
        let expected = WebSocketFrame.text(Array("{\(short)}".utf8))
        #expect(SeedFrames.of(frame, isBinary: false) == expected)
        #expect(SeedFrames.of(frame + frame.dropLast(), isBinary: false) == expected + frame.dropLast())
        #expect(SeedFrames.of([], isBinary: true).isEmpty)
    }
}
