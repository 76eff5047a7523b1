import API
import EventModel
import HTTPModel
import Testing

@testable import Messages

@Suite("What messages may be, and what their states allow")
struct MessageRulesTests {
    private static let at = Timestamp(microseconds: 0)

    private func message(_ state: SessionMessage.State, session: String = "s") -> SessionMessage {
        SessionMessage(
            id: "msg_1",
            sessionID: session,
            machine: MachineID(rawValue: 1),
            clientID: "c",
            kind: .message,
            author: Actor(kind: "operator"),
            state: state,
            queuedAt: Self.at
        )
    }

    private func code(_ body: () throws(APIError) -> Void) -> String? {
        do throws(APIError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a text has 1 to 32,768 bytes")
    func texts() {
        #expect(code { () throws(APIError) in try MessageRules.check("a") } == nil)
        #expect(code { () throws(APIError) in try MessageRules.check(String(repeating: "a", count: 32_768)) } == nil)
        for text in ["", String(repeating: "a", count: 32_769), String(repeating: "ä", count: 16_385)] {
            #expect(code { () throws(APIError) in try MessageRules.check(text) } == "invalid_parameter")
        }
    }

    @Test(
        "a session is reached if its machine says so; an interruption needs no socket",
        arguments: [
            (true, true, nil), (true, false, nil), (false, true, "not_reachable"), (false, false, nil),
            (nil, true, "not_reachable"), (nil, false, "not_reachable"),
        ] as [(Bool?, Bool, String?)]
    )
    func reach(hasSocket: Bool?, needsSocket: Bool, refused: String?) {
        #expect(
            code { () throws(APIError) in
                try MessageRules.checkReach(hasEnded: false, hasSocket: hasSocket, needsSocket: needsSocket)
            } == refused
        )
        #expect(
            code { () throws(APIError) in
                try MessageRules.checkReach(hasEnded: true, hasSocket: hasSocket, needsSocket: needsSocket)
            } == "not_reachable"
        )
    }

    @Test("cancelling again is no error, cancelling what the machine has is one")
    func cancelling() throws {
        #expect(try MessageRules.uncancelled(message(.cancelled), of: "s").state == .cancelled)
        for state in [SessionMessage.State.queued, .delivered, .read, .failed] {
            #expect(
                code { () throws(APIError) in _ = try MessageRules.uncancelled(message(state), of: "s") }
                    == "already_delivered"
            )
        }
        for known in [nil, message(.cancelled, session: "other")] {
            #expect(
                code { () throws(APIError) in _ = try MessageRules.uncancelled(known, of: "s") }
                    == "message_not_found"
            )
        }
    }

    @Test("a machine delivers what is queued, and reports the rest of what it has")
    func receipts() {
        #expect(MessageRules.states(before: .delivered) == [.queued])
        #expect(MessageRules.states(before: .read) == [.queued, .delivered])
        #expect(MessageRules.states(before: .failed) == [.queued, .delivered])
    }

    @Test("the chain records what people and machines did")
    func recorded() {
        #expect(SessionMessage.State.allCases.filter(MessageRules.isRecorded) == [.queued, .delivered, .cancelled])
    }

    @Test("a prompt is the receipt of the message with its text, without regard to white space")
    func same() {
        #expect(MessageReceipt.isSame("  Go on.\n", "Go on."))
        #expect(!MessageReceipt.isSame("Go on?", "Go on."))
    }
}
