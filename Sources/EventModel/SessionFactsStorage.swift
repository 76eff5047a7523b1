internal import JSON

extension SessionFacts {
    /// The facts as compact JSON, for the `facts` column of `events`; `nil` if there are none.
    public func stored() -> [UInt8]? {
        if self == SessionFacts() { return nil }
        var writer = JSONWriter(reserving: 160)
        writer.beginObject()
        writer.field("use", toolUseID)
        writer.field("input", toolInputHash.map { String($0, radix: 16) })
        writer.field("agent", agentID)
        writer.field("agent_type", agentType)
        writer.field("mode", permissionMode)
        writer.field("model", model)
        writer.field("title", title)
        writer.field("detail", detail)
        if promptIsInjected { writer.field("injected", true) }
        if isSilent { writer.field("silent", true) }
        if let usage {
            writer.beginArray("tokens")
            for count in [usage.input, usage.output, usage.cacheRead, usage.cacheCreation] { writer.integer(count) }
            writer.endArray()
        }
        writer.field("cost", costUSD)
        writer.field("risk", risk?.rawValue)
        if !shownWhole.isEmpty { writer.field("shown_whole", Int64(shownWhole.rawValue)) }
        writer.field("error", errorHash.map { String($0, radix: 16) })
        if let report {
            writer.key("report")
            report.write(to: &writer)
        }
        writer.field("clock", clockOffset)
        if let stream {
            writer.beginObject("stream")
            writer.field("id", stream.id)
            writer.field("n", stream.number)
            writer.field("session_n", stream.sessionNumber)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Treats fields in another form than `stored()` writes as missing.
    public init(stored: [UInt8]) {
        self.init()
        guard let json = try? JSONValue.parse(stored), json.isObject else { return }
        toolUseID = json["use"]?.string
        toolInputHash = json["input"]?.string.flatMap { UInt64($0, radix: 16) }
        agentID = json["agent"]?.string
        agentType = json["agent_type"]?.string
        permissionMode = json["mode"]?.string
        model = json["model"]?.string
        title = json["title"]?.string
        detail = json["detail"]?.string
        promptIsInjected = json["injected"]?.bool ?? false
        isSilent = json["silent"]?.bool ?? false
        if let counts = json["tokens"]?.array?.map({ $0.integer ?? 0 }), counts.count == 4 {
            usage = TokenUsage(input: counts[0], output: counts[1], cacheRead: counts[2], cacheCreation: counts[3])
        }
        costUSD = json["cost"]?.double
        risk = json["risk"]?.string.flatMap(ToolRisk.init(rawValue:))
        shownWhole = ShownInput(rawValue: json["shown_whole"]?.integer.flatMap { UInt8(exactly: $0) } ?? 0)
        errorHash = json["error"]?.string.flatMap { UInt64($0, radix: 16) }
        report = json["report"].map(SessionReport.init(stored:))
        clockOffset = json["clock"]?.double
        if let numbered = json["stream"], let id = numbered["id"]?.string, let number = numbered["n"]?.integer {
            stream = StreamNumber(id: id, number: number, sessionNumber: numbered["session_n"]?.integer)
        }
    }
}
