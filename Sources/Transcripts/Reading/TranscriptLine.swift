internal import EventModel
internal import JSON
internal import Masking

/// The content of a transcript's line, before the content policy cuts it. The format is Claude Code's own and changes
/// between versions, so every member may be missing.
struct TranscriptLine {
    var type: String
    var uuid: String?
    var at: Timestamp?
    var agentID: String?
    var gitBranch: String?
    var clientVersion: ClientVersion?
    var directory: String?
    /// The name that a person gave the session. Empty if the person removed it.
    var personTitle: String?
    var clientTitle: String?
    var request: RequestUsage?
    /// The session that made the request. A fork repeats lines of the session that it comes from.
    var requestSession: String?
    var messageID: String?
    /// The position of the line's block in its answer; older clients do not write it.
    var block: Int64?
    /// The line is of a subagent.
    var isSide: Bool
    var input: TranscriptInput?
    var cost: (costUSD: Double, tokens: RequestTokens)?
    /// The text of a message that a busy session has read.
    var readMessage: String?
    /// A message of the conversation, not an attachment or a note of the client.
    var isMessage: Bool

    init(_ line: JSONElement) {
        type = line["type"]?.word ?? "unknown"
        uuid = line["uuid"]?.word
        at = line["timestamp"]?.string.flatMap(Timestamp.init(rfc3339:))
        agentID = line["agentId"]?.word
        gitBranch = line["gitBranch"]?.word
        clientVersion = line["version"]?.word.flatMap { ClientVersion($0) }
        directory = line["cwd"]?.string.flatMap { (1...4096).contains($0.utf8.count) ? $0 : nil }
        isMessage = type == "user" || type == "assistant"
        isSide = line["isSidechain"]?.bool ?? false
        switch type {
        case "user": input = TranscriptInput(line)
        case "assistant":
            messageID = line["message"]?["id"]?.word
            request = RequestUsage(line: line, at: at, agentID: agentID)
            block = line["apiBlockIndex"]?.integer
            // When the client copies a line, it rewrites `sessionId` and names the former one. Older clients kept the
            // former one.
            requestSession =
                line["requestSessionId"]?.word ?? line["forkedFrom"]?["sessionId"]?.word ?? line["sessionId"]?.word
        case "cost-state": cost = TranscriptLine.cost(line)
        case "attachment":
            if let attachment = line["attachment"], attachment["type"]?.word == "queued_command" {
                readMessage = attachment["prompt"]?.string
            }
        case "custom-title": personTitle = (line["customTitle"] ?? line["title"])?.string
        case "ai-title", "summary": clientTitle = (line["aiTitle"] ?? line["title"] ?? line["summary"])?.string
        default: break
        }
    }

    private static func cost(_ line: JSONElement) -> (costUSD: Double, tokens: RequestTokens)? {
        guard let usd = line["totalCostUSD"]?.double, usd.isFinite, usd >= 0 else { return nil }
        var tokens = RequestTokens()
        if let models = line["modelUsage"] {
            for (_, usage) in models.members {
                let written = usage["cacheCreationInputTokens"]?.integer ?? 0
                let hour = min(max(usage["cacheCreationEphemeral1hInputTokens"]?.integer ?? 0, 0), max(written, 0))
                tokens =
                    tokens
                    + RequestTokens(
                        input: usage["inputTokens"]?.integer ?? 0,
                        output: usage["outputTokens"]?.integer ?? 0,
                        cacheRead: usage["cacheReadInputTokens"]?.integer ?? 0,
                        cacheWrite5m: written - hour,
                        cacheWrite1h: hour
                    )
            }
        }
        return (min(usd, 1e9), tokens)
    }
}

extension JSONElement {
    /// A string of 1 to 200 bytes with its secrets masked: longer ones are not names.
    var word: String? {
        guard let count = utf8Count, (1...200).contains(count) else { return nil }
        return string.flatMap(StoredForm.word)
    }
}
