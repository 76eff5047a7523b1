internal import EventModel
package import JSON

extension UsageSum {
    static let shape = ObjectShape<UsageSum>("UsageSum") { it in
        it.member("requests") { $0.requests }
        it.object("token_usage", TokenUsage.shape) { $0.tokens.usage }
        it.member("total_tokens") { $0.tokens.usage.shownTotal }
        it.member("total_cost") { $0.cost }
        it.member("is_estimated") { $0.hasEstimate }
        it.object("unpriced", UnpricedUsage.shape) { $0.unpriced }
        it.member("requests_by_telemetry") { $0.byTelemetry }
        it.member("requests_by_transcript") { $0.byTranscript }
        it.member("requests_by_agent") { $0.byAgent }
        it.word("source") { $0.source }
        it.word("confidence") { $0.confidence }
        it.member("difference") { $0.difference }
    }

    static let group = ObjectShape<UsageSum>("UsageGroup", extending: shape, { $0 }) { it in
        it.memberOrNull("key") { $0.key.isEmpty ? nil : $0.key }
        it.member("name") { $0.name }
        it.member("tool_calls") { $0.calls }
        it.member("tool_failures") { $0.failures }
    }
}

extension UsageWindows {
    static let shape = ObjectShape<UsageWindows>("UsageWindows") { it in
        it.constant("object", "usage_windows")
        it.member("at") { $0.at }
        it.object("five_hour", Window.shape) { $0.fiveHours }
        it.object("seven_day", Window.shape) { $0.sevenDays }
    }
}

extension UsageWindows.Window {
    fileprivate static let shape = ObjectShape<UsageWindows.Window>(
        "UsageWindow",
        extending: UsageSum.shape,
        { $0.sum }
    ) { it in
        it.memberOrNull("start") { $0.span?.lowerBound }
        it.memberOrNull("end") { $0.span?.upperBound }
    }
}

extension RequestRecord {
    package static let shape = ObjectShape<RequestRecord>("ModelRequest") { it in
        it.memberOrNull("message_id") { $0.usage.messageID }
        it.memberOrNull("request_id") { $0.usage.requestID }
        it.member("timestamp") { $0.usage.at }
        it.memberOrNull("model") { $0.usage.model }
        it.object("token_usage", TokenUsage.shape) { $0.usage.tokens.usage }
        it.object("cache_creation") { it in
            it.member("ephemeral_5m_tokens") { $0.usage.tokens.cacheWrite5m }
            it.member("ephemeral_1h_tokens") { $0.usage.tokens.cacheWrite1h }
        }
        it.member("cost") { $0.cost }
        it.member("is_estimated") { $0.isEstimate }
        it.member("is_unpriced") { $0.isUnpriced }
        it.object("cost_by") { it in
            it.memberOrNull("otel") { $0.costByTelemetry }
            it.memberOrNull("transcript") { $0.costByTranscript }
        }
        it.member("difference") { $0.difference }
        it.word("source") { $0.source }
        it.member("query_source") { $0.usage.querySource }
        it.member("turn_id") { $0.usage.turnID }
        it.member("agent_id") { $0.usage.agentID }
    }
}
