import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Binary frames")
struct BinaryFrameTests {
    @Test(
        "text frames of every length become binary ones, their payloads untouched",
        arguments: [0, 1, 125, 126, 65535, 65536]
    )
    func binary(length: Int) {
        let payload = [UInt8](repeating: 0x81, count: length)
        let text = WebSocketFrame.text(payload) + WebSocketFrame.text([7]) + WebSocketFrame.text(payload)
        let binary = BinaryFrames.of(text)
        let second = WebSocketFrame.text(payload).count
        let changed = [0, second, second + 3]
        for index in text.indices where text[index] != binary[index] { #expect(changed.contains(index)) }
        for index in changed { #expect(binary[index] == 0x82) }
        #expect(binary.count == text.count)
    }

    @Test("the members of an event stand at the top too, as those of params do")
    func event() {
        let name = #"a\",\"params\":{\""#
        let members = #""event":"\#(name)","seq":7,"payload":{"params":{"a":"}}"},"x":[{}]}"#
        let opening = #"{"jsonrpc":"2.0","method":"event/\#(name)""#
        let text = WebSocketFrame.text(Array("\(opening),\"params\":{\(members)}}".utf8))
        let expected = WebSocketFrame.text(Array("\(opening),\(members),\"params\":{\(members)}}".utf8))
        let answer = WebSocketFrame.text(Array(#"{"jsonrpc":"2.0","id":1,"result":{"params":{"a":{}}}}"#.utf8))
        #expect(BinaryFrames.of(text + answer) == binary(expected) + binary(answer))
    }

    @Test("a message that would be too large twice has its payload once")
    func large() {
        let payload = #"{"p":"\#(String(repeating: "x", count: 300_000)),\"payload\":"}"#
        let members = #""event":"x","seq":7,"payload":\#(payload)"#
        let opening = #"{"jsonrpc":"2.0","method":"event/x""#
        let text = WebSocketFrame.text(Array("\(opening),\"params\":{\(members)}}".utf8))
        let short = #""event":"x","seq":7,"payload_truncated":true,"payload":{}"#
        let expected = WebSocketFrame.text(Array("\(opening),\(short),\"params\":{\(members)}}".utf8))
        #expect(BinaryFrames.of(text) == binary(expected))
    }

    @Test(
        "messages that are no event of any members stay as they are",
        arguments: [
            "{}", #"{"jsonrpc":"2.0","method":"event/"#, #"{"jsonrpc":"2.0","method":"event/x","params":{}}"#,
            #"{"jsonrpc":"2.0","method":"event/x","params":[{}]}"#, #"{"event":"heartbeat","payload":{"params":{}}}"#,
        ]
    )
    func others(message: String) {
        let text = WebSocketFrame.text(Array(message.utf8))
        #expect(BinaryFrames.of(text) == binary(text))
    }

    /// The same frame with the other opcode.
    private func binary(_ text: [UInt8]) -> [UInt8] { [0x82] + text.dropFirst() }

    @Test("what is no whole frame is left as it is")
    func broken() {
        for bytes: [UInt8] in [
            [], [0x81], [0x89, 0], [0x88, 2, 3, 0xE8], [0x81, 3, 1, 2],
            [0x81, 127] + [UInt8](repeating: 0xFF, count: 8),
        ] {
            #expect(BinaryFrames.of(bytes) == bytes)
        }
    }
}
