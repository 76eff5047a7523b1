internal import EventModel
internal import JSON

extension PromptTable {
    func write(to writer: inout JSONWriter) {
        writer.list("prompts", prompts) { writer, prompt in
            writer.string(prompt.key)
            writer.string(prompt.source.rawValue)
            writer.string(prompt.kind.rawValue)
            prompt.call.write(to: &writer)
            writer.text(prompt.toolUseID)
            writer.text(prompt.name)
            writer.time(prompt.openedAt)
        }
        writer.list("calls", calls) { writer, call in
            call.key.write(to: &writer)
            writer.text(call.toolUseID)
            writer.time(call.startedAt)
            writer.time(call.endedAt)
            writer.bool(call.wasAsked)
        }
        writer.list("marks", marks) { writer, mark in
            writer.string(mark.agentID)
            writer.time(mark.at)
        }
        writer.field("answered", answeredAt?.microseconds)
        writer.field("elicited", elicitedAt?.microseconds)
        writer.field("session_ended", sessionEndedAt?.microseconds)
        if announcesDialogs { writer.field("announces", true) }
        if isAutomatic { writer.field("automatic", true) }
    }

    init(stored json: JSONValue) {
        prompts = json.list("prompts", of: 9) { fields in
            guard let key = fields[0].string, let source = fields[1].string.flatMap(OpenPrompt.Source.init(rawValue:)),
                let kind = fields[2].string.flatMap(NoticeKind.init(rawValue:)), let openedAt = fields[8].timestamp
            else { return nil }
            return OpenPrompt(
                key: key,
                source: source,
                kind: kind,
                call: CallKey(fields: fields[3..<6]),
                toolUseID: fields[6].string,
                name: fields[7].string,
                openedAt: openedAt
            )
        }
        calls = json.list("calls", of: 7) { fields in
            SeenCall(
                key: CallKey(fields: fields[0..<3]),
                toolUseID: fields[3].string,
                startedAt: fields[4].timestamp,
                endedAt: fields[5].timestamp,
                wasAsked: fields[6].bool ?? false
            )
        }
        marks = json.list("marks", of: 2) { fields in
            guard let agent = fields[0].string, let at = fields[1].timestamp else { return nil }
            return AgentMark(agentID: agent, at: at)
        }
        answeredAt = json["answered"]?.timestamp
        elicitedAt = json["elicited"]?.timestamp
        sessionEndedAt = json["session_ended"]?.timestamp
        announcesDialogs = json["announces"]?.bool ?? false
        isAutomatic = json["automatic"]?.bool ?? false
    }
}

extension CallKey {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.text(agentID)
        writer.text(toolName)
        writer.text(inputHash.map { String($0, radix: 16) })
    }

    fileprivate init(fields: ArraySlice<JSONValue>) {
        let parts = fields.map(\.string)
        self.init(agentID: parts[0], toolName: parts[1], inputHash: parts[2].flatMap { UInt64($0, radix: 16) })
    }
}

extension TurnWatch {
    func write(to writer: inout JSONWriter) {
        if isRunning { writer.field("running", true) }
        writer.field("turn_started", startedAt?.microseconds)
        writer.field("turn_resumed", resumedAt?.microseconds)
        writer.field("turn_before", endedTurnStartedAt?.microseconds)
        writer.field("turn_prompt", promptID)
        if endedAfterBlock { writer.field("after_block", true) }
        if isBlocked { writer.field("blocked", true) }
        writer.field("turn_ended", endedAt?.microseconds)
        writer.field("turn_seconds", lastSeconds)
        writer.field("active", activeAt?.microseconds)
        writer.tuple("held", held) { writer, held in
            writer.integer(Int64(held.work))
            writer.string(held.summary)
        }
        writer.list("agents", agents) { writer, agent in
            writer.string(agent.id)
            writer.time(agent.seenAt)
        }
    }

    init(stored json: JSONValue) {
        isRunning = json["running"]?.bool ?? false
        startedAt = json["turn_started"]?.timestamp
        resumedAt = json["turn_resumed"]?.timestamp
        endedTurnStartedAt = json["turn_before"]?.timestamp
        promptID = json["turn_prompt"]?.string
        endedAfterBlock = json["after_block"]?.bool ?? false
        isBlocked = json["blocked"]?.bool ?? false
        endedAt = json["turn_ended"]?.timestamp
        lastSeconds = json["turn_seconds"]?.double
        activeAt = json["active"]?.timestamp
        held = json.tuple("held", of: 2) { fields in
            guard let work = fields[0].count, let summary = fields[1].string else { return nil }
            return Held(work: work, summary: summary)
        }
        agents = json.list("agents", of: 2) { fields in
            guard let id = fields[0].string, let at = fields[1].timestamp else { return nil }
            return Agent(id: id, seenAt: at)
        }
    }
}
