internal import EventModel
internal import JSON

extension TurnWatch {
    func write(to writer: inout JSONWriter) {
        if isRunning { writer.field("running", true) }
        writer.field("turn_started", startedAt?.microseconds)
        writer.field("turn_resumed", resumedAt?.microseconds)
        writer.field("turn_before", endedTurnStartedAt?.microseconds)
        writer.field("turn_prompt", turnID)
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
        turnID = json["turn_prompt"]?.string
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
