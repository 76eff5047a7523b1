import EventModel
import JSON
import RPC
import Testing

@testable import Agents
@testable import Serving

@Suite struct LiveTextTests {
    private let begun = Timestamp(microseconds: 1_700_000_000_000_000)

    private func piece(_ text: String, of message: String = "msg_1") throws -> AgentPartial {
        try AgentPartial(
            RPCParams(
                .object([
                    ("session_id", .string("s")), ("message_id", .string(message)), ("text", .string(text)),
                ])
            )
        )
    }

    private func text(of notice: [UInt8]) throws -> String {
        try #require(try JSONValue.parse(notice)["text"]?.string)
    }

    /// Each piece has the whole text masked again, which takes the time of the network loop.
    @Test func aFloodIsMaskedWithinTheBudgetAndShownOnceItAllowsIt() throws {
        var text = LiveText(sessionID: "s", on: MachineID(rawValue: 1))
        var masking = CellRate()
        var masked = 0
        for count in 1...2500 {
            let piece = try piece(String(repeating: "a", count: 99) + "\n")
            let notice = text.take(piece, hasRoom: { _ in true }, masking: &masking, now: begun)
            if notice != nil { masked += count * 100 }
        }
        #expect(masked > LiveSize.masking.burst / 2 && masked <= LiveSize.masking.burst)

        let later = begun.adding(seconds: 1)
        let last = text.take(try piece("end"), hasRoom: { _ in true }, masking: &masking, now: later)
        #expect(try self.text(of: try #require(last).json).hasSuffix("a\nend"))
        #expect(try self.text(of: text.whole.json).utf8.count == 250_003)
    }

    @Test func aSecretThatIsCompleteLaterReplacesWhatWasSent() throws {
        var text = LiveText(sessionID: "s", on: MachineID(rawValue: 1))
        var masking = CellRate()
        var shown = ""
        for part in ["see ghp_abcdefgh", "ijklmnopqrstuvwxyz0123456789", " there"] {
            guard let notice = text.take(try piece(part), hasRoom: { _ in true }, masking: &masking, now: begun)
            else { continue }
            let more = try self.text(of: notice.json)
            shown = try JSONValue.parse(notice.json)["replaces"]?.bool == true ? more : shown + more
        }
        #expect(shown == "see ghp_*** there")
    }

    @Test func withoutRoomNothingOfTheMessageIsShownAnyMore() throws {
        var text = LiveText(sessionID: "s", on: MachineID(rawValue: 1))
        var masking = CellRate()
        func take(_ piece: AgentPartial, room: Bool) -> Bool {
            text.take(piece, hasRoom: { _ in room }, masking: &masking, now: begun) != nil
        }
        #expect(take(try piece("a"), room: true))
        #expect(!take(try piece("b"), room: false))
        #expect(!take(try piece("c"), room: true))
        #expect(take(try piece("a", of: "msg_2"), room: true))
    }
}
