internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import MCP
internal import Prompts
internal import Sessions

/// Questions of models to a person.
extension PersonAsker {
    /// A question is a call of AskUserQuestion with an id of its own: the call of the tool may itself have been asked
    /// about.
    func open(_ question: PersonQuestion) async throws(APIError) -> OpenCall {
        let id = question.eventID(at: shared.clock())
        let call = "ask_" + id.description
        let place = try await place(ofCall: question.toolUseID, question.session, alone: call, question.grant)
        var held = try decoded(question.hook(in: place, as: call), question.grant)
        held.event.id = id
        return try await open(
            held,
            in: place,
            as: call,
            question.policy,
            question.seconds,
            question.grant,
            choices: question.choices
        )
    }

    /// The answer to a question that is closed, as long as the server keeps it.
    func reply(_ prompt: Prompt, _ call: OpenCall, _ content: HeldContent) async -> PersonAnswer {
        switch prompt.state {
        case .answered where prompt.answer != nil: break
        case .expired: return .expired
        default: return .gone
        }
        if case .output(let output) = await holds.ask(poll(call, content, seconds: 1)) {
            return await replied(output, call)
        }
        guard prompt.decision == .allow, let said = prompt.answer?.said else { return .gone }
        return .replied(PersonReply(text: said, note: nil))
    }

    /// Adds the event PostToolUse with the answer. The state of the session then leaves `waiting`.
    func replied(_ output: [UInt8], _ call: OpenCall) async -> PersonAnswer {
        let answer = PersonAnswer(question: output)
        if case .replied = answer, var event = try? decoded(call.result(output), call.grant).event {
            event.id = EventID(name: "ask:result:\(call.event)", machine: call.machine)
            event.timestamp = shared.clock().adding(seconds: Double(call.aheadMicroseconds) / 1e6)
            _ = await shared.pipeline.submit([event])
        }
        await finish(call)
        return answer
    }
}

extension OpenCall {
    fileprivate var grant: MachineGrant { MachineGrant(keyID: nil, machine: machine, machineName: machineName) }

    /// The answer to a question as a hook would report it.
    ///
    /// - Parameter output: as a hook would print it.
    fileprivate func result(_ output: [UInt8]) -> [UInt8] {
        let input = (try? JSONValue.parse(output, maxDepth: 200))?.updatedInput ?? .object([])
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("hook_event_name", "PostToolUse")
        writer.field("session_id", session)
        writer.field("tool_name", "AskUserQuestion")
        writer.field("tool_use_id", toolUseID)
        writer.field("tool_input", input)
        writer.field("tool_response", .object([("answers", input["answers"] ?? .null)]))
        writer.endObject()
        return writer.bytes
    }
}

extension PersonQuestion {
    /// The same question of the same call has the same id.
    fileprivate func eventID(at time: Timestamp) -> EventID {
        guard let toolUseID else {
            var random = SystemRandomNumberGenerator()
            return EventID.version7(at: time, using: &random)
        }
        let all = ([toolUseID, text] + choices).map { "\($0.utf8.count):\($0)" }
        return EventID(name: "ask:" + all.joined(), machine: grant.machine)
    }

    fileprivate func hook(in place: CallPlace, as callID: String) -> [UInt8] {
        let options = choices.map { JSONValue.object([("label", .string($0)), ("description", .string(""))]) }
        let question = JSONValue.object([
            ("question", .string(text)), ("header", .string("Question")), ("multiSelect", .bool(false)),
            ("options", .array(options)),
        ])
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("hook_event_name", "PermissionRequest")
        writer.field("session_id", place.session)
        writer.field("agent_id", place.agentID)
        writer.field("tool_name", "AskUserQuestion")
        writer.field("tool_use_id", callID)
        writer.field("tool_input", .object([("questions", .array([question]))]))
        writer.endObject()
        return writer.bytes
    }
}
