internal import EventModel
internal import JSON
internal import Masking

/// The kind of a message line, read before the content policy removes texts.
struct LineMessage {
    /// Set for a prompt that a person typed, also if it has no text.
    var isPrompt = false
    /// The first line of the prompt, at most 200 characters. `nil` if it has no text.
    var prompt: String?
    var hasAnswer = false
    /// Whether the answer calls a tool, so that the turn continues.
    var callsTool = false
    /// Results of tools that ran. A call that was refused did not run.
    var results: Int64 = 0
    var isAssistant = false
    /// Whether the main agent wrote or read it.
    var isOfMainAgent: Bool
    /// Whether the line is a copy from another session.
    var isCopied: Bool

    /// Returns `nil` for a line that is not a message.
    /// - Parameter session: the session of the file, as Claude Code names it.
    init?(_ line: JSONElement, session: String) {
        let type = line["type"]?.string
        guard type == "user" || type == "assistant" else { return nil }
        isAssistant = type == "assistant"
        isOfMainAgent = line["agentId"] == nil && !(line["isSidechain"]?.bool ?? false)
        let origin = (line["forkedFrom"]?["sessionId"] ?? line["sessionId"])?.string
        isCopied = origin.map { $0 != session } ?? false
        let content = line["message"]?["content"]
        if isAssistant {
            // The client itself writes such a message after an error or when it resumes a session.
            guard line["message"]?["model"]?.string != "<synthetic>" else { return }
            readAnswer(content, stopReason: line["message"]?["stop_reason"]?.string)
        } else {
            readUser(content, isRefusal: LineMessage.isRefusal(line), isMeta: LineMessage.isMeta(line))
        }
    }

    /// Whether the call of the result did not run, or its end is not known. Clients before 2.1.270 write only the text.
    private static func isRefusal(_ line: JSONElement) -> Bool {
        line["toolDenialKind"] != nil || line["toolUseResult"]?.string?.hasPrefix("User rejected") ?? false
    }

    private static func isMeta(_ line: JSONElement) -> Bool {
        line["isMeta"]?.bool ?? false || line["isCompactSummary"]?.bool ?? false
    }

    private mutating func readAnswer(_ content: JSONElement?, stopReason: String?) {
        callsTool = stopReason == "tool_use"
        hasAnswer = content?.string.map { !$0.isEmpty } ?? false
        guard let content, content.isArray else { return }
        for block in content.elements {
            switch block["type"]?.string {
            case "text": hasAnswer = true
            case "tool_use": callsTool = true
            default: break
            }
        }
    }

    private mutating func readUser(_ content: JSONElement?, isRefusal: Bool, isMeta: Bool) {
        var text = content?.string
        var isTyped = text != nil
        if let content, content.isArray {
            for block in content.elements {
                switch block["type"]?.string {
                case "tool_result": results += isRefusal ? 0 : 1
                case "text":
                    isTyped = true
                    text = text ?? block["text"]?.string
                case "image", "document": isTyped = true
                default: break
                }
            }
        }
        guard isTyped, !isMeta, !LineMessage.isByClient(text ?? "") else { return }
        isPrompt = true
        prompt = text.map { StoredForm.line(LineMessage.typed($0)) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether Claude Code wrote the text: output of its own commands, shell commands of a person, interruptions.
    private static func isByClient(_ text: String) -> Bool {
        let openings = ["[Request interrupted by user", "<command-name>", "<bash-input>"]
        return openings.contains(where: text.hasPrefix) || InjectedPrompt.isInjected(text, source: nil)
    }

    /// The prompt as the person typed it, if it is a command that the client has expanded.
    private static func typed(_ text: String) -> String {
        guard text.hasPrefix("<command-message>"), let name = member("command-name", of: text) else { return text }
        return ([name] + [member("command-args", of: text)].compactMap(\.self)).joined(separator: " ")
    }

    private static func member(_ name: String, of text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), let end = text.firstRange(of: "</\(name)>"),
            start.upperBound < end.lowerBound
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}

/// Counts prompts, answers and finished tool calls, as hooks count them: an answer is the end of a turn, and a turn may
/// have many messages of the model. Blocks of one message are lines of their own.
struct LineCounter {
    struct Count: Equatable {
        var messages: Int64 = 0
        var toolCalls: Int64 = 0
    }

    /// One for each line.
    private(set) var counts: [Count] = []
    /// The message of the model that the last lines belong to.
    private var open: (id: String?, answer: Int?, callsTool: Bool)?

    /// - Parameter message: `nil` if the line is not a message.
    mutating func add(_ message: LineMessage?, id: String?) {
        counts.append(Count())
        guard let message, !message.isCopied else { return }
        let place = counts.count - 1
        counts[place].toolCalls = message.results
        guard message.isOfMainAgent else { return }
        if !message.isAssistant || open.map({ $0.id != id }) ?? false { close() }
        guard message.isAssistant else {
            counts[place].messages = message.isPrompt ? 1 : 0
            return
        }
        let former = open
        open = (id, message.hasAnswer ? place : former?.answer, message.callsTool || former?.callsTool ?? false)
    }

    /// Call it after the last line.
    mutating func close() {
        if let open, !open.callsTool, let place = open.answer { counts[place].messages = 1 }
        open = nil
    }
}
