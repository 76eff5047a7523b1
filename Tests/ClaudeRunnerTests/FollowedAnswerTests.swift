import ClaudeRunner
import JSON
import Testing

/// What is told of an answer that somebody follows. The frames are those of the real client.
@Suite struct FollowedAnswerTests {
    /// Plays what the client said, with the messages of the recording followed.
    private func parts(_ name: String, followed: [String]? = nil) throws -> [AnswerPart] {
        let recording = try Recording(name)
        var conversation = readyConversation(session: recording.sessionID)
        var parts: [AnswerPart] = []
        for frame in recording.frames {
            guard !frame.isFromClient else {
                parts += conversation.receive(frame.message).events.answers
                continue
            }
            guard frame.message["type"]?.string == "user", let id = frame.message["uuid"]?.string,
                let content = frame.message["message"]?["content"]
            else { continue }
            let isFollowed = followed?.contains(id) ?? true
            _ = try conversation.send(id: id, content: content, asCommand: false, isFollowed: isFollowed)
        }
        return parts
    }

    private func text(_ parts: [AnswerPart]) -> String {
        parts.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    private func end(_ parts: [AnswerPart]) throws -> ChatEnd {
        guard case .ended(let end)? = parts.last else { throw Missing() }
        return end
    }

    private struct Missing: Error {}

    @Test func aTurnWithATool() throws {
        let parts = try parts("partial-turn-with-tool")
        #expect(text(parts) == "Let me see.\n\nDone, it is 1.")
        #expect(parts.contains(.thinking("hm")))
        #expect(parts.contains(.tool(id: "toolu_000000000000000000000001", name: "Bash")))
        #expect(parts.contains(.toolEnded(id: "toolu_000000000000000000000001", isError: false)))
        let end = try end(parts)
        #expect(end.failure == nil && end.stopReason == "end_turn" && end.model == "claude-sonnet-5")
        #expect(end.usage?["output_tokens"]?.integer == 68 && end.cost == 0.000786)
    }

    @Test func textThatIsTakenBackEndsTheAnswer() throws {
        let parts = try parts("partial-retracted")
        #expect(try end(parts).failure?.kind == .retracted)
    }

    @Test func nothingIsToldOfOtherMessages() throws {
        #expect(try parts("partial-turn-with-tool", followed: []).isEmpty)
    }

    @Test func anInterruptedTurn() throws {
        let parts = try parts("interrupt-tool")
        #expect(try end(parts).failure?.kind == .interrupted)
    }

    @Test func whatASubagentSaysIsNoAnswer() throws {
        let frame = json(
            #"{"type":"assistant","parent_tool_use_id":"toolu_1","message":{"id":"m","content":["#
                + #"{"type":"text","text":"inner"}]}}"#
        )
        var conversation = try started()
        #expect(conversation.receive(frame).events.answers.isEmpty)
    }

    @Test func aClientThatEndsEndsTheAnswer() throws {
        var conversation = try started()
        let parts = conversation.exited(code: 1, signal: nil, standardError: []).events.answers
        #expect(try end(parts).failure?.kind == .gone)
    }

    @Test func aMessageThatIsKnownHasNoSecondAnswer() throws {
        var conversation = readyConversation()
        _ = try conversation.send(id: "one", content: .string("x"), asCommand: false, isFollowed: true)
        let frame = json(#"{"type":"command_lifecycle","command_uuid":"one","state":"completed"}"#)
        #expect(try end(conversation.receive(frame).events.answers).failure?.kind == .gone)
    }

    @Test func anErrorOfTheModelHasItsWords() throws {
        var conversation = try started()
        _ = conversation.receive(
            json(
                #"{"type":"assistant","parent_tool_use_id":null,"error":"model_not_found","api_error_status":404,"#
                    + #""message":{"model":"<synthetic>","content":[{"type":"text","text":"no such model"}]}}"#
            )
        )
        let result = json(#"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error"}"#)
        let failure = try end(conversation.receive(result).events.answers).failure
        #expect(failure == .init(.modelNotFound, "no such model", status: 404))
    }

    /// Who learns of the end may send the next message.
    @Test func theSessionIsIdleBeforeTheEndIsTold() throws {
        var conversation = try started()
        let events = conversation.receive(json(#"{"type":"result","subtype":"success","is_error":false}"#)).events
        let idle = try #require(events.firstIndex(of: .state(.idle)))
        let end = try #require(events.firstIndex { if case .answer = $0 { true } else { false } })
        #expect(idle < end)
    }

    private func started() throws -> ClaudeConversation {
        var conversation = readyConversation()
        _ = try conversation.send(id: "one", content: .string("x"), asCommand: false, isFollowed: true)
        _ = conversation.receive(json(#"{"type":"command_lifecycle","command_uuid":"one","state":"started"}"#))
        return conversation
    }
}

extension [ClaudeSessionEvent] {
    fileprivate var answers: [AnswerPart] {
        compactMap { event in
            if case .answer(_, let part) = event { part } else { nil }
        }
    }
}
