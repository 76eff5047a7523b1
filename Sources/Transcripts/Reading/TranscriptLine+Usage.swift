internal import EventModel
internal import JSON

/// What a line of type `user` gives the model.
struct TranscriptInput: Equatable {
    /// Claude's id of the turn; older clients do not write it.
    var turn: String?
    /// A prompt that begins a turn, and not the result of a tool.
    var isPrompt: Bool

    /// Returns `nil` for a line that the client wrote by itself: a caveat, the output of a command of its own, the note
    /// of an interruption.
    init?(_ line: JSONElement) {
        guard line["isMeta"]?.bool != true, let content = line["message"]?["content"] else { return nil }
        turn = line["promptId"]?.word
        if let text = content.string {
            guard !TranscriptInput.notes.contains(where: { text.hasPrefix($0) }) else { return nil }
            isPrompt = true
            return
        }
        guard let first = content.elements.first(where: { _ in true }) else { return nil }
        if let text = first["text"]?.string, TranscriptInput.notes.contains(where: { text.hasPrefix($0) }) {
            return nil
        }
        isPrompt = first["type"]?.word != "tool_result"
    }

    private static let notes = ["<local-command", "<bash-", "[Request interrupted"]
}

extension RequestUsage {
    /// Prompts of one request, and models that advised it. More are not expected.
    private static let mostParts = 64

    /// The usage of the answer that a line's block belongs to. Lines of errors have the model `<synthetic>` and no
    /// usage.
    init?(line: JSONElement, at: Timestamp?, agentID: String?) {
        guard let message = line["message"], let usage = message["usage"], usage.isObject,
            let model = message["model"]?.word, model != "<synthetic>"
        else { return nil }
        self.init(source: .transcript, at: at ?? Timestamp(microseconds: 0), tokens: RequestTokens(usage: usage))
        requestID = line["requestId"]?.word
        messageID = message["id"]?.word
        if requestID == nil, messageID == nil, tokens.total == 0 { return nil }
        self.model = model
        self.agentID = agentID
        querySource = agentID != nil || line["isSidechain"]?.bool ?? false ? "subagent" : "main"
        speed = usage["speed"]?.word.flatMap { $0 == "standard" || $0 == "normal" ? nil : $0 }
        serviceTier = usage["service_tier"]?.word.flatMap { $0 == "standard" ? nil : $0 }
        geography = usage["inference_geo"]?.word
        webSearches = usage["server_tool_use"]?["web_search_requests"]?.integer.map { min(max($0, 0), 1000) } ?? 0
        if let parts = usage["iterations"], parts.isArray { read(parts) }
    }

    private mutating func read(_ parts: JSONElement) {
        var prompts: [RequestTokens] = []
        for part in parts.elements.prefix(RequestUsage.mostParts) {
            switch part["type"]?.word {
            case "message": prompts.append(RequestTokens(usage: part))
            case "advisor_message":
                guard let model = part["model"]?.word else { continue }
                advice.append(AdviceUsage(model: model, tokens: RequestTokens(usage: part)))
            default: break
            }
        }
        guard prompts.count > 1, let whole = RequestUsage.sum(of: prompts, asIn: tokens) else { return }
        iterations = whole
    }

    /// The prompts, if together they have the tokens of the request. Cache writes whose lifetime only the whole request
    /// states are divided in the order of the prompts.
    private static func sum(of prompts: [RequestTokens], asIn tokens: RequestTokens) -> [RequestTokens]? {
        let sum = prompts.reduce(RequestTokens(), +)
        guard sum.input == tokens.input, sum.output == tokens.output, sum.cacheRead == tokens.cacheRead,
            sum.cacheWrite == tokens.cacheWrite
        else { return nil }
        var left = max(0, tokens.cacheWrite1h - sum.cacheWrite1h)
        return prompts.map { part in
            let moved = min(left, part.cacheWrite5m)
            left -= moved
            return RequestTokens(
                input: part.input,
                output: part.output,
                cacheRead: part.cacheRead,
                cacheWrite5m: part.cacheWrite5m - moved,
                cacheWrite1h: part.cacheWrite1h + moved
            )
        }
    }
}

extension RequestTokens {
    /// The `usage` of the Messages API.
    fileprivate init(usage: JSONElement) {
        let written = usage["cache_creation_input_tokens"]?.integer ?? 0
        let split = usage["cache_creation"]
        let hour = min(max(split?["ephemeral_1h_input_tokens"]?.integer ?? 0, 0), max(written, 0))
        self.init(
            input: usage["input_tokens"]?.integer ?? 0,
            output: usage["output_tokens"]?.integer ?? 0,
            cacheRead: usage["cache_read_input_tokens"]?.integer ?? 0,
            cacheWrite5m: written - hour,
            cacheWrite1h: hour
        )
    }
}
