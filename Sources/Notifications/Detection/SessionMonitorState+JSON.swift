internal import EventModel
internal import JSON
internal import Sessions

extension SessionMonitorState {
    /// Returns compact JSON. Times are microseconds since 1970; entries of lists are arrays.
    func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.key("prompts")
        prompts.write(to: &writer)
        turn.write(to: &writer)
        writer.list("errors", errors) { writer, mark in
            writer.string(mark.type)
            writer.time(mark.at)
        }
        writer.tuple("finished", finished, write: Told.write)
        writer.tuple("long_tool", longTool, write: Told.write)
        if !repeats.isEmpty {
            writer.key("outcomes")
            repeats.write(to: &writer)
        }
        writer.tuple("stuck", stuck, write: Told.write)
        writer.field("started", startedAt?.microseconds)
        writer.field("title", title)
        if isEnded { writer.field("ended", true) }
        if hasFailed { writer.field("failed", true) }
        writer.field("tool", toolName)
        writer.tuple("shown", shown) { writer, shown in
            writer.string(shown.phase.rawValue)
            writer.time(shown.since)
            writer.integer(Int64(shown.pending))
            writer.text(shown.toolName)
            writer.text(shown.title)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    init?(sessionID: String, stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored), json.isObject else { return nil }
        self.init(sessionID: sessionID)
        prompts = json["prompts"].map(PromptTracker.init(stored:)) ?? PromptTracker()
        turn = TurnWatch(stored: json)
        errors = json.list("errors", of: 2) { fields in
            guard let type = fields[0].string, let at = fields[1].timestamp else { return nil }
            return ErrorMark(type: type, at: at)
        }
        finished = json.tuple("finished", of: 2, read: Told.init(fields:))
        longTool = json.tuple("long_tool", of: 2, read: Told.init(fields:))
        repeats = json["outcomes"].map(RepeatWatch.init(stored:)) ?? RepeatWatch()
        stuck = json.tuple("stuck", of: 2, read: Told.init(fields:))
        startedAt = json["started"]?.timestamp
        title = json["title"]?.string
        isEnded = json["ended"]?.bool ?? false
        hasFailed = json["failed"]?.bool ?? false
        toolName = json["tool"]?.string
        shown = json.tuple("shown", of: 5) { fields in
            guard let phase = fields[0].string.flatMap(ActivityState.Phase.init(rawValue:)),
                let since = fields[1].timestamp, let pending = fields[2].count
            else { return nil }
            return ShownActivity(
                phase: phase,
                since: since,
                pending: pending,
                toolName: fields[3].string,
                title: fields[4].string
            )
        }
    }
}

extension SessionMonitorState.Told {
    fileprivate static func write(_ writer: inout JSONWriter, _ told: SessionMonitorState.Told) {
        writer.string(told.key)
        writer.time(told.at)
    }

    fileprivate init?(fields: [JSONValue]) {
        guard let key = fields[0].string, let at = fields[1].timestamp else { return nil }
        self.init(key: key, at: at)
    }
}
