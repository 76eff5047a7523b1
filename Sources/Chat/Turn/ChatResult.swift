package import EventModel
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

/// What tokens of a model cost.
package struct ChatPrice: Sendable {
    let dollars: Double
    /// Whether the price list has the model.
    let isListed: Bool

    package init(dollars: Double, isListed: Bool) {
        (self.dollars, self.isListed) = (dollars, isListed)
    }
}

package struct ChatUsage: Sendable, Equatable {
    /// As the machine counts them.
    package var tokens: RequestTokens
    /// US dollars; `nil` if unknown.
    package var cost: Double?
    /// The model that answered, as the machine names it.
    var model: String?
    /// Whether tokens and cost are estimated from texts.
    var isEstimate = false
    /// Whether the price list lacks the model.
    var isUnpriced = false

    /// Dollars of one turn. Sums of what machines report must not overflow.
    private static let mostCost = 1_000_000.0

    package init(_ tokens: RequestTokens, cost: Double?) {
        (self.tokens, self.cost) = (tokens, cost)
    }

    /// From the Messages API's counts.
    init?(_ usage: JSONValue?, cost: Double?) {
        guard let usage, usage.isObject else { return nil }
        func count(_ value: JSONValue?) -> Int64 { max(0, value?.integer ?? 0) }
        let written = count(usage["cache_creation_input_tokens"])
        let hour = min(written, count(usage["cache_creation"]?["ephemeral_1h_input_tokens"]))
        tokens = RequestTokens(
            input: count(usage["input_tokens"]),
            output: count(usage["output_tokens"]),
            cacheRead: count(usage["cache_read_input_tokens"]),
            cacheWrite5m: written - hour,
            cacheWrite1h: hour
        )
        self.cost = cost.flatMap { $0.isFinite && $0 >= 0 ? min($0, ChatUsage.mostCost) : nil }
    }

    /// The usage in an agent's report about a turn that has ended or failed.
    ///
    /// Claude Code prices whole messages only, so a turn that failed costs at least what its tokens cost. Otherwise
    /// closing each connection early would be free. So does a turn whose report has no cost that can be true.
    ///
    /// - Parameter asked: the model that the request names.
    init?(endOf report: JSONValue, asked: String?, price: (_ model: String?, RequestTokens) -> ChatPrice) {
        self.init(report["usage"] ?? .object([]), cost: report["cost"]?.double)
        model = report["model"]?.string.flatMap(ChatUsage.name)
        let price = price(model ?? asked, tokens)
        if cost == nil || report["failure"]?.isObject == true { cost = max(cost ?? 0, price.dollars) }
        isUnpriced = !price.isListed
    }

    /// An estimate from the texts of a turn, for a turn whose end is unknown.
    init(sent: Int, written: Int, model: String?, price: (_ model: String?, RequestTokens) -> ChatPrice) {
        let bytesPerToken: Int64 = 4
        tokens = RequestTokens(input: Int64(sent) / bytesPerToken, output: Int64(written) / bytesPerToken)
        let price = price(model, tokens)
        (cost, isEstimate, isUnpriced) = (price.dollars, true, !price.isListed)
    }

    /// The name, if it can be one of a model.
    static func name(_ text: String) -> String? {
        let isName = (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isName ? text : nil
    }

    /// With what was read from and written to the prompt cache.
    package var promptTokens: Int64 { tokens.prompt }

    func write(to writer: inout JSONWriter) {
        writer.beginObject("usage")
        writer.field("prompt_tokens", promptTokens)
        writer.field("completion_tokens", tokens.output)
        writer.field("total_tokens", promptTokens + tokens.output)
        writer.beginObject("prompt_tokens_details")
        writer.field("cached_tokens", tokens.cacheRead)
        writer.endObject()
        writer.field("input_tokens", promptTokens)
        writer.field("output_tokens", tokens.output)
        if let cost { writer.field("total_cost", cost) } else { writer.null("total_cost") }
        writer.endObject()
    }
}

extension ChatOutcome {
    /// From an agent's report of the end of a turn.
    ///
    /// - Parameter functions: the names of the caller's functions.
    package init(_ report: JSONValue, offering functions: Set<String> = []) {
        guard let failure = report["failure"], failure.isObject else {
            let usage = ChatUsage(report["usage"], cost: report["cost"]?.double)
            let calls = ChatFunctionCall.list(report["calls"], of: functions)
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
