internal import EventModel
package import JSON

extension PromptTracker {
    /// Writes the tracker as a JSON object. Times are microseconds since 1970.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.beginArray("open")
        for prompt in open { prompt.write(to: &writer) }
        writer.endArray()
        if !settling.isEmpty {
            writer.beginArray("settling")
            for prompt in settling { prompt.write(to: &writer) }
            writer.endArray()
        }
        writer.beginArray("calls")
        for call in calls { call.write(to: &writer) }
        writer.endArray()
        writer.beginArray("marks")
        for mark in marks { mark.write(to: &writer) }
        writer.endArray()
        writer.field("received", clock.receivedAt?.microseconds)
        if clock.serverIsBehind > 0 { writer.field("behind", clock.serverIsBehind) }
        writer.field("answered", answeredAt?.microseconds)
        writer.field("decided", decidedAt?.microseconds)
        writer.field("receipt", receiptSeconds)
        if let lastEnd {
            writer.beginArray("ended")
            writer.integer(lastEnd.time.microseconds)
            writer.string(lastEnd.source.rawValue)
            writer.bool(lastEnd.isByServer)
            writer.endArray()
        }
        writer.field("elicited", elicitedAt?.microseconds)
        writer.field("session_ended", sessionEndedAt?.microseconds)
        writer.field("active", activeAt?.microseconds)
        writer.field("stopped", stoppedAt?.microseconds)
        if announcesDialogs { writer.field("announces", true) }
        if isAutomatic { writer.field("automatic", true) }
        writer.endObject()
    }

    /// Ignores parts that were not written by `write(to:)`.
    package init(stored json: JSONValue) {
        open = (json["open"]?.array ?? []).compactMap(Prompt.init(stored:))
        settling = (json["settling"]?.array ?? []).compactMap(Prompt.init(stored:))
        calls = (json["calls"]?.array ?? []).map(SeenCall.init(stored:))
        marks = (json["marks"]?.array ?? []).compactMap(AgentMark.init(stored:))
        clock.receivedAt = json["received"]?.timestamp
        clock.serverIsBehind = json["behind"]?.double ?? 0
        answeredAt = json["answered"]?.timestamp
        decidedAt = json["decided"]?.timestamp
        receiptSeconds = json["receipt"]?.double
        if let fields = json["ended"]?.array, fields.count == 3, let time = fields[0].timestamp {
            let source = fields[1].string.flatMap(Session.StateSource.init(rawValue:))
            lastEnd = End(time: time, source: source ?? .hooks, isByServer: fields[2].bool ?? false)
        }
        elicitedAt = json["elicited"]?.timestamp
        sessionEndedAt = json["session_ended"]?.timestamp
        activeAt = json["active"]?.timestamp
        stoppedAt = json["stopped"]?.timestamp
        announcesDialogs = json["announces"]?.bool ?? false
        isAutomatic = json["automatic"]?.bool ?? false
    }
}

extension AgentMark {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("agent", agentID)
        writer.field("at", at.microseconds)
        if isBeginning { writer.field("begins", true) }
        writer.endObject()
    }

    fileprivate init?(stored json: JSONValue) {
        guard let agent = json["agent"]?.string, let at = json["at"]?.timestamp else { return nil }
        self.init(agentID: agent, at: at, isBeginning: json["begins"]?.bool ?? false)
    }
}

extension SeenCall {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("agent", key.agentID)
        writer.field("tool", key.toolName)
        writer.field("input", key.inputHash.map { String($0, radix: 16) })
        writer.field("id", toolUseID)
        writer.field("started", startedAt?.microseconds)
        writer.field("ended", endedAt?.microseconds)
        if wasAsked { writer.field("asked", true) }
        writer.endObject()
    }

    fileprivate init(stored json: JSONValue) {
        let hash = json["input"]?.string.flatMap { UInt64($0, radix: 16) }
        self.init(
            key: CallKey(agentID: json["agent"]?.string, toolName: json["tool"]?.string, inputHash: hash),
            toolUseID: json["id"]?.string,
            startedAt: json["started"]?.timestamp,
            endedAt: json["ended"]?.timestamp,
            wasAsked: json["asked"]?.bool ?? false
        )
    }
}
