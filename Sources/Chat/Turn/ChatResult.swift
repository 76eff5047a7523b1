package import HTTPModel
package import JSON

/// How a turn ended.
package enum ChatOutcome: Sendable, Equatable {
    case finished(ChatResult)
    case failed(APIError)
}

/// An answer that is whole.
package struct ChatResult: Sendable, Equatable {
    /// OpenAI's word: `stop`, `length`, `tool_calls` or `content_filter`.
    package var finishReason: String
    package var model: String?
    package var usage: ChatUsage?
    package var calls: [ChatFunctionCall]

    package init(finishReason: String, model: String?, usage: ChatUsage?, calls: [ChatFunctionCall] = []) {
        (self.finishReason, self.model, self.usage, self.calls) = (finishReason, model, usage, calls)
    }
}

package struct ChatUsage: Sendable, Equatable {
    /// With what was read from and written to the prompt cache.
    package var promptTokens: Int64
    package var completionTokens: Int64
    package var cachedTokens: Int64
    /// US dollars; `nil` if unknown.
    package var cost: Double?

    package init(promptTokens: Int64, completionTokens: Int64, cachedTokens: Int64, cost: Double?) {
        (self.promptTokens, self.completionTokens) = (promptTokens, completionTokens)
        (self.cachedTokens, self.cost) = (cachedTokens, cost)
    }

    /// From Claude's counts.
    init?(_ usage: JSONValue?, cost: Double?) {
        guard let usage, usage.isObject else { return nil }
        func count(_ name: String) -> Int64 { max(0, usage[name]?.integer ?? 0) }
        cachedTokens = count("cache_read_input_tokens")
        promptTokens = count("input_tokens") + cachedTokens + count("cache_creation_input_tokens")
        completionTokens = count("output_tokens")
        self.cost = cost
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject("usage")
        writer.field("prompt_tokens", promptTokens)
        writer.field("completion_tokens", completionTokens)
        writer.field("total_tokens", promptTokens + completionTokens)
        writer.beginObject("prompt_tokens_details")
        writer.field("cached_tokens", cachedTokens)
        writer.endObject()
        writer.field("input_tokens", promptTokens)
        writer.field("output_tokens", completionTokens)
        if let cost { writer.field("total_cost", cost) } else { writer.null("total_cost") }
        writer.endObject()
    }
}

extension ChatOutcome {
    /// From an agent's report of the end of a turn.
    package init(_ report: JSONValue) {
        guard let failure = report["failure"], failure.isObject else {
            let usage = ChatUsage(report["usage"], cost: report["cost"]?.double)
            let calls = ChatFunctionCall.list(report["calls"])
            let reason = calls.isEmpty ? ChatOutcome.finishReason(report["stop_reason"]?.string) : "tool_calls"
            let model = report["model"]?.string
            self = .finished(ChatResult(finishReason: reason, model: model, usage: usage, calls: calls))
            return
        }
        self = .failed(ChatOutcome.error(failure))
    }

    private static func finishReason(_ word: String?) -> String {
        switch word {
        case "max_tokens": "length"
        case "refusal": "content_filter"
        default: "stop"
        }
    }

    private static func error(_ failure: JSONValue) -> APIError {
        let message = failure["message"]?.string ?? ""
        let status = failure["status"]?.integer ?? 0
        switch failure["kind"]?.string {
        case "model_not_found":
            return APIError(.notFound, status: 404, code: "model_not_found", message: message, param: "model")
        case "unusable": return .invalid("invalid_parameter", message)
        case "rate_limit": return APIError(.rateLimit, status: 429, code: "rate_limit_exceeded", message: message)
        case "not_logged_in":
            let words = "Claude Code is not signed in on the machine: \(message)"
            return APIError(.unavailable, status: 503, code: "claude_unavailable", message: words)
        case "retracted": return APIError(.internalError, status: 502, code: "stream_retracted", message: message)
        case "interrupted": return APIError(.conflict, status: 409, code: "interrupted", message: message)
        case "api" where status == 400 || status == 413:
            return .invalid("invalid_request", message)
        default: return APIError(.internalError, status: 502, code: "claude_failed", message: message)
        }
    }
}

extension APIError {
    /// Clients of OpenAI repeat some statuses by themselves, unless they are told that it is of no use.
    package var final: APIError {
        var error = self
        error.headers["x-should-retry"] = "false"
        error.retryAfter = nil
        return error
    }
}
