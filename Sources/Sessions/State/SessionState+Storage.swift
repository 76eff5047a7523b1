internal import EventModel
internal import JSON

extension SessionState {
    /// The fold as compact JSON, for the `fold` column of `sessions`.
    package func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("machine", register: machine) { writer, machine in
            writer.beginArray()
            writer.integer(machine.id.rawValue)
            writer.string(machine.name)
            writer.stringOrNull(machine.reportedName)
            writer.endArray()
        }
        writer.field("project", register: project) { $0.string($1) }
        writer.field("started", startedAt?.microseconds)
        writer.field("active", lastActivityAt?.microseconds)
        writer.field("activity", register: activity.latest) { writer, latest in
            let source = latest.source == .hooks ? "" : " \(latest.source.rawValue)"
            writer.string(latest.state.rawValue + source)
        }
        writer.field("moments", activity.storedMoments)
        writer.field("end", register: end) { $0.string($1) }
        writer.field("gone", register: gone) { $0.bool($1) }
        writer.field("alive", register: alive) { $0.bool($1) }
        if imported != nil { writer.field("imported", register: imported) { $0.bool($1) } }
        writer.field("messages", messageCount)
        writer.field("tools", toolCallCount)
        if writtenMessages > 0 { writer.field("written", writtenMessages) }
        if writtenToolCalls > 0 { writer.field("written_tools", writtenToolCalls) }
        if !reported.reports.isEmpty { writer.field("reported", reported.stored) }
        writer.beginArray("tokens")
        for count in [tokenUsage.input, tokenUsage.output, tokenUsage.cacheRead, tokenUsage.cacheCreation] {
            writer.integer(count)
        }
        writer.endArray()
        writer.field("cost", totalCost)
        writer.field("model", register: model) { $0.string($1) }
        writer.field("mode", register: permissionMode) { $0.string($1) }
        writer.field("person", register: title.person) { $0.string($1) }
        writer.field("title", register: title.client) { $0.string($1) }
        writer.field("prompt", register: title.prompt) { $0.string($1) }
        if isPinned != nil { writer.field("pinned", register: isPinned) { $0.bool($1) } }
        if isArchived != nil { writer.field("archived", register: isArchived) { $0.bool($1) } }
        if runner != nil { writer.field("runner", register: runner) { $0.string($1.rawValue) } }
        writer.field("continues", register: continues) { $0.string($1) }
        writer.field("continued_by", register: continuedBy) { $0.string($1) }
        writer.field("parked", register: isParked) { $0.bool($1) }
        writer.field("branch", register: gitBranch) { $0.string($1) }
        writer.field("seq", lastSeq)
        writer.key("prompts")
        prompts.write(to: &writer)
        if !background.isEmpty {
            writer.key("background")
            background.write(to: &writer)
        }
        if !repeats.isEmpty {
            writer.key("outcomes")
            repeats.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if `stored` was not written by `stored()`.
    package init?(id: String, stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored), json.isObject else { return nil }
        self.init(id: id)
        machine = json.register("machine") { Machine(stored: $0.array) }
        project = json.register("project") { $0.string }
        startedAt = json["started"]?.integer.map(Timestamp.init(microseconds:))
        lastActivityAt = json["active"]?.integer.map(Timestamp.init(microseconds:))
        activity = ActivityHistory(
            latest: json.register("activity") { $0.string.flatMap(ActivityHistory.Latest.init(stored:)) },
            moments: json["moments"]?.string.map(ActivityHistory.moments(stored:)) ?? []
        )
        end = json.register("end") { $0.string }
        gone = json.register("gone") { $0.bool }
        alive = json.register("alive") { $0.bool }
        imported = json.register("imported") { $0.bool }
        messageCount = json["messages"]?.integer ?? 0
        toolCallCount = json["tools"]?.integer ?? 0
        writtenMessages = json["written"]?.integer ?? 0
        writtenToolCalls = json["written_tools"]?.integer ?? 0
        reported = json["reported"]?.string.map(ReportedHooks.init(stored:)) ?? ReportedHooks()
        background = json["background"].map(BackgroundAgents.init(stored:)) ?? BackgroundAgents()
        let tokens = (json["tokens"]?.array ?? []).map { $0.integer ?? 0 }
        if tokens.count == 4 {
            tokenUsage = TokenUsage(input: tokens[0], output: tokens[1], cacheRead: tokens[2], cacheCreation: tokens[3])
        }
        totalCost = json["cost"]?.double
        model = json.register("model") { $0.string }
        permissionMode = json.register("mode") { $0.string }
        title = SessionTitle(
            person: json.register("person") { $0.string },
            client: json.register("title") { $0.string },
            prompt: json.register("prompt") { $0.string }
        )
        isPinned = json.register("pinned") { $0.bool }
        isArchived = json.register("archived") { $0.bool }
        runner = json.register("runner") { $0.string.flatMap(Session.Runner.init(rawValue:)) }
        continues = json.register("continues") { $0.string }
        isParked = json.register("parked") { $0.bool }
        continuedBy = json.register("continued_by") { $0.string }
        gitBranch = json.register("branch") { $0.string }
        lastSeq = json["seq"]?.integer ?? 0
        prompts = json["prompts"].map(PromptTracker.init(stored:)) ?? PromptTracker()
        repeats = json["outcomes"].map(RepeatWatch.init(stored:)) ?? RepeatWatch()
    }
}

extension ActivityHistory.Latest {
    /// Reads a state, and its source if the source is not hooks.
    fileprivate init?(stored text: String) {
        let words = text.split(separator: " ")
        guard let state = words.first.flatMap({ Session.State(rawValue: String($0)) }) else { return nil }
        let source = words.dropFirst().first.flatMap { Session.StateSource(rawValue: String($0)) }
        self.init(state: state, source: source ?? .hooks)
    }
}

extension SessionState.Machine {
    fileprivate init?(stored fields: [JSONValue]?) {
        guard let fields, fields.count == 3, let id = fields[0].integer, let name = fields[1].string else { return nil }
        self.init(id: MachineID(rawValue: id), name: name, reportedName: fields[2].string)
    }
}

extension JSONWriter {
    /// Writes a register as `[time, event id, value]`. Omits an unset one.
    fileprivate mutating func field<Value>(
        _ name: String,
        register: Register<Value>?,
        write: (inout JSONWriter, Value) -> Void
    ) {
        guard let register else { return }
        beginArray(name)
        integer(register.order.time.microseconds)
        string(register.order.id.description)
        write(&self, register.value)
        endArray()
    }

    fileprivate mutating func stringOrNull(_ text: String?) {
        if let text { string(text) } else { value(.null) }
    }
}

extension JSONValue {
    fileprivate func register<Value>(_ name: String, read: (JSONValue) -> Value?) -> Register<Value>? {
        guard let fields = self[name]?.array, fields.count == 3, let time = fields[0].timestamp,
            let id = fields[1].string.flatMap(EventID.init), let value = read(fields[2])
        else { return nil }
        return Register(order: EventOrder(time: time, id: id), value: value)
    }
}
