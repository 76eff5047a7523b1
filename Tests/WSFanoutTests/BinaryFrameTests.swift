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
        let binary = WebSocketFrame.binary(text)
        let second = WebSocketFrame.text(payload).count
        let changed = [0, second, second + 3]
        for index in text.indices where text[index] != binary[index] { #expect(changed.contains(index)) }
        for index in changed { #expect(binary[index] == 0x82) }
        #expect(binary.count == text.count)
    }

    @Test("what is no whole frame is left as it is")
    func broken() {
        for bytes: [UInt8] in [[], [0x81], [0x89, 0], [0x88, 2, 3, 0xE8]] {
            #expect(WebSocketFrame.binary(bytes) == bytes)
        }
    }
}
