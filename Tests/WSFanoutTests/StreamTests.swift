import EventModel
import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Positions")
struct StreamTests {
    @Test(
        "a cursor reads back what was written",
        arguments: [("e1", 0), ("a:b", 41), ("01JH", Int64.max)] as [(String, Int64)]
    )
    func roundTrip(epoch: String, seq: Int64) {
        let position = StreamPosition(epoch: epoch, seq: seq)
        #expect(PositionText.parse(PositionText.format(position)) == ResumePoint(position))
    }

    @Test("a number alone is of the current epoch")
    func bare() {
        #expect(PositionText.parse("41") == ResumePoint(epoch: nil, seq: 41))
    }

    @Test(
        "what is no cursor is refused",
        arguments: ["", ":", "e1:", ":41", "e1:-1", "e1:+1", "e1: 1", "e1:1 ", "e1:9223372036854775808", "x", "e1:１"]
    )
    func refused(text: String) {
        #expect(PositionText.parse(text) == nil)
    }

    @Test("Last-Event-ID: none starts at the head, one that cannot be read is not recovered")
    func lastEventID() {
        let window = StreamWindow(epoch: "e1", oldest: 0, head: 5)
        #expect(window.resolve(ServerSentEvents.resumePoint(lastEventID: nil)).recovered)
        #expect(window.resolve(ServerSentEvents.resumePoint(lastEventID: "")).recovered)
        #expect(window.resolve(ServerSentEvents.resumePoint(lastEventID: "e1:3")).position.seq == 3)
        let lost = window.resolve(ServerSentEvents.resumePoint(lastEventID: "rubbish"))
        #expect(lost == StreamStart(position: StreamPosition(epoch: "e1", seq: 5), recovered: false))
    }

    @Test("an event stream opens with its pause and cursor, and with a reset where the place is gone")
    func opening() {
        let position = StreamPosition(epoch: "e1", seq: 5)
        let calm = ServerSentEvents.opening(StreamStart(position: position, recovered: true))
        #expect(String(decoding: calm, as: UTF8.self) == "retry: 2000\nid: e1:5\n\n")
        let lost = ServerSentEvents.opening(StreamStart(position: position, recovered: false))
        let data = #"{"epoch":"e1","seq":5,"recovered":false}"#
        #expect(String(decoding: lost, as: UTF8.self) == "retry: 2000\n\nid: e1:5\nevent: reset\ndata: \(data)\n\n")
    }

    @Test("close codes: sendable numbers, short reasons, and stop exactly from 4500 on")
    func closeCodes() {
        for code in CloseCode.all {
            #expect(code.number == 1000 || code.number == 1001 || (4000...4999).contains(code.number))
            #expect(code.reason.utf8.count <= 123)
            #expect((code.duty == .stop) == (code.number >= 4500))
        }
        #expect(CloseCode.all.map(\.number) == [1000, 1001, 4001, 4001, 4002, 4008, 4008, 4029, 4500])
    }
}
