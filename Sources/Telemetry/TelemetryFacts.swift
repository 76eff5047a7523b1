internal import EventModel
internal import Masking

/// The information in a log record about its session and about requests to the model.
enum TelemetryFacts {
    static func facts(of name: String, _ attributes: [OTLPAttribute], at time: Timestamp) -> SessionFacts {
        func word(_ key: String) -> String? { attributes[key]?.text.flatMap(StoredForm.word) }
        var report = SessionReport()
        report.isActivity = TelemetryName.activities.contains(name)
        var facts = SessionFacts(
            toolUseID: word("tool_use_id"),
            agentID: word("agent.id") ?? word("agent_id"),
            detail: name
        )
        switch name {
        case "api_request":
            let request = request(attributes, at: time, agentID: facts.agentID)
            report.requests = [request]
            if request.querySource.map(isMain) ?? true { facts.model = request.model }
        case "tool_decision" where word("decision") == "reject": report.refusedBy = word("source") ?? "unknown"
        case "permission_mode_changed": facts.permissionMode = word("to_mode")
        default: break
        }
        facts.report = report
        return facts
    }

    /// Whether a request belongs to the conversation itself, and not to a subagent or a background task of the client.
    private static func isMain(_ querySource: String) -> Bool {
        querySource == "main" || querySource == "sdk" || querySource.hasPrefix("repl_main_thread")
    }

    private static func request(_ attributes: [OTLPAttribute], at time: Timestamp, agentID: String?) -> RequestUsage {
        func word(_ key: String) -> String? { attributes[key]?.text.flatMap(StoredForm.word) }
        func count(_ key: String) -> Int64? { attributes[key]?.integerValue }
        let written = count("cache_creation_tokens") ?? 0
        let hour = min(max(count("cache_creation_1h_tokens") ?? 0, 0), max(written, 0))
        var request = RequestUsage(
            source: .otel,
            at: time,
            tokens: RequestTokens(
                input: count("input_tokens") ?? 0,
                output: count("output_tokens") ?? 0,
                cacheRead: count("cache_read_tokens") ?? 0,
                cacheWrite5m: written - hour,
                cacheWrite1h: hour
            )
        )
        request.requestID = word("request_id")
        request.answer = count("event.sequence").map { "\($0)" }
        request.model = word("model")
        request.costUSD = attributes["cost_usd"]?.doubleValue.flatMap { $0.isFinite && $0 >= 0 ? min($0, 1e9) : nil }
        request.querySource = word("query_source")
        request.turnID = word("prompt.id")
        request.agentID = agentID
        request.speed = word("speed").flatMap { $0 == "normal" || $0 == "standard" ? nil : $0 }
        return request
    }
}

/// One line for people about a log record.
enum TelemetrySummary {
    static func line(of name: String, _ attributes: [OTLPAttribute]) -> String {
        func text(_ key: String) -> String { attributes[key]?.text ?? "" }
        func count(_ key: String) -> Int64 { attributes[key]?.integerValue ?? 0 }
        let line =
            switch name {
            case "api_request":
                "\(text("model")): \(count("input_tokens")) in, \(count("output_tokens")) out, "
                    + "$\(attributes["cost_usd"]?.doubleValue ?? 0)"
            case "api_error": "API error \(text("status_code")): \(text("error"))"
            case "api_retries_exhausted": "API error after \(count("total_attempts")) attempts: \(text("error"))"
            case "tool_decision": "\(text("tool_name")): \(text("decision")) by \(text("source"))"
            case "tool_result": "\(text("tool_name")): \(text("success") == "true" ? "done" : "failed")"
            case "permission_mode_changed": "Permission mode \(text("to_mode"))"
            case "compaction": "Compaction: \(count("pre_tokens")) to \(count("post_tokens")) tokens"
            default: name
            }
        return StoredForm.line(line)
    }
}
