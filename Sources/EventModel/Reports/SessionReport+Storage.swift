public import JSON

extension SessionReport {
    /// Writes one compact JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if !requests.isEmpty {
            writer.beginArray("requests")
            for request in requests { request.write(to: &writer) }
            writer.endArray()
        }
        if let cost {
            writer.beginObject("cost")
            writer.field("usd", cost.costUSD)
            writer.field("tokens", cost.tokens)
            writer.field("until", cost.until?.microseconds)
            writer.endObject()
        }
        writer.field("branch", gitBranch)
        writer.field("since", since?.microseconds)
        if isActivity { writer.field("active", true) }
        writer.field("refused_by", refusedBy)
        if let numbers {
            writer.beginArray("numbers")
            for number in [numbers.first, numbers.last, numbers.since.microseconds, numbers.until.microseconds] {
                writer.integer(number)
            }
            writer.bool(numbers.isStart)
            writer.endArray()
        }
        if !names.isEmpty {
            writer.key("names")
            names.write(to: &writer)
        }
        if messages > 0 { writer.field("messages", messages) }
        if toolCalls > 0 { writer.field("tools", toolCalls) }
        writer.endObject()
    }

    public func stored() -> [UInt8] {
        var writer = JSONWriter(reserving: 64 + requests.count * 256)
        write(to: &writer)
        return writer.bytes
    }

    /// Treats members in another form than `write` writes as missing.
    public init(stored json: JSONValue) {
        self.init()
        requests = (json["requests"]?.array ?? []).compactMap(RequestUsage.init(stored:))
        if let cost = json["cost"], let usd = cost["usd"]?.double, usd.isFinite {
            self.cost = SessionCost(
                costUSD: usd,
                tokens: RequestTokens(stored: cost["tokens"]),
                until: cost["until"]?.integer.map(Timestamp.init(microseconds:))
            )
        }
        gitBranch = json["branch"]?.string
        since = json["since"]?.integer.map(Timestamp.init(microseconds:))
        isActivity = json["active"]?.bool ?? false
        refusedBy = json["refused_by"]?.string
        numbers = json["numbers"]?.array.flatMap(RecordNumbers.init(stored:))
        names = json["names"].map(SessionNames.init(stored:)) ?? SessionNames()
        messages = max(0, json["messages"]?.integer ?? 0)
        toolCalls = max(0, json["tools"]?.integer ?? 0)
    }
}

extension RecordNumbers {
    fileprivate init?(stored fields: [JSONValue]) {
        guard fields.count == 5, let first = fields[0].integer, let last = fields[1].integer, first <= last,
            let since = fields[2].integer, let until = fields[3].integer
        else { return nil }
        self.init(
            first: first,
            last: last,
            since: Timestamp(microseconds: since),
            until: Timestamp(microseconds: until),
            isStart: fields[4].bool ?? false
        )
    }
}

extension RequestUsage {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("from", source.rawValue)
        writer.field("request", requestID)
        writer.field("message", messageID)
        writer.field("at", at.microseconds)
        writer.field("model", model)
        writer.field("tokens", tokens)
        writer.field("usd", costUSD)
        writer.field("query", querySource)
        writer.field("turn", turnID)
        writer.field("agent", agentID)
        writer.field("speed", speed)
        writer.field("tier", serviceTier)
        writer.field("geo", geography)
        if webSearches > 0 { writer.field("searches", webSearches) }
        writer.field("answer", answer)
        writer.field("origin", origin)
        if !iterations.isEmpty {
            writer.beginArray("iterations")
            for tokens in iterations { writer.array(tokens) }
            writer.endArray()
        }
        if !advice.isEmpty {
            writer.beginArray("advice")
            for one in advice {
                writer.beginObject()
                writer.field("model", one.model)
                writer.field("tokens", one.tokens)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    fileprivate init?(stored json: JSONValue) {
        guard let source = json["from"]?.string.flatMap(Source.init(rawValue:)), let at = json["at"]?.integer else {
            return nil
        }
        self.init(source: source, at: Timestamp(microseconds: at), tokens: RequestTokens(stored: json["tokens"]))
        requestID = json["request"]?.string
        messageID = json["message"]?.string
        model = json["model"]?.string
        costUSD = json["usd"]?.double
        querySource = json["query"]?.string
        turnID = json["turn"]?.string
        agentID = json["agent"]?.string
        speed = json["speed"]?.string
        serviceTier = json["tier"]?.string
        geography = json["geo"]?.string
        webSearches = json["searches"]?.integer ?? 0
        answer = json["answer"]?.string
        origin = json["origin"]?.string
        iterations = (json["iterations"]?.array ?? []).map { RequestTokens(stored: $0) }
        advice = (json["advice"]?.array ?? []).compactMap { item in
            item["model"]?.string.map { AdviceUsage(model: $0, tokens: RequestTokens(stored: item["tokens"])) }
        }
    }
}

extension RequestTokens {
    fileprivate init(stored json: JSONValue?) {
        let counts = (json?.array ?? []).map { $0.integer ?? 0 }
        guard counts.count == 5 else {
            self.init()
            return
        }
        self.init(
            input: counts[0],
            output: counts[1],
            cacheRead: counts[2],
            cacheWrite5m: counts[3],
            cacheWrite1h: counts[4]
        )
    }
}

extension JSONWriter {
    fileprivate mutating func field(_ name: String, _ tokens: RequestTokens) {
        key(named: name)
        array(tokens)
    }

    fileprivate mutating func array(_ tokens: RequestTokens) {
        beginArray()
        let counts = [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite5m, tokens.cacheWrite1h]
        for count in counts { integer(count) }
        endArray()
    }
}
