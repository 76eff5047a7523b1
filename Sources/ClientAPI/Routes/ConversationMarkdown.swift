internal import EventModel
internal import JSON
internal import Sessions
internal import Transcripts

/// A conversation as Markdown for people. All texts are quotations or code: what stands at the beginning of a line is
/// the document's own.
enum ConversationMarkdown {
    /// Maximum number of characters of a tool's input or output.
    private static let toolText = 4000

    static func head(of session: Session) -> String {
        var text = "# \(ContainedMarkdown.inline(session.title ?? session.id))\n\n"
        let cost = session.totalCost.map { "$\(($0 * 10000).rounded() / 10000)" }
        let facts: [(String, String?)] = [
            ("Session", session.id), ("Machine", session.machineName), ("Project", session.projectPath),
            ("Branch", session.gitBranch), ("Model", session.currentModel), ("Started", session.startedAt.description),
            ("Ended", session.endedAt?.description),
            ("Tokens", "\(session.tokenUsage.input) in, \(session.tokenUsage.output) out"),
            ("Cost", cost.map { "\($0) (\(session.usageConfidence.rawValue))" }),
        ]
        for case (let name, let value?) in facts { text += "- \(name): \(ContainedMarkdown.inline(value))\n" }
        return text
    }

    static func text(of message: ConversationMessage) -> String {
        var text = heading(message.role.rawValue, message.place.at, message.model)
        for block in message.blocks {
            switch block {
            case .text(let words): text += words.isEmpty ? "" : ContainedMarkdown.quoted(words)
            case .thinking(let words): text += words.isEmpty ? "" : ContainedMarkdown.quoted("Thinking: " + words)
            case .toolUse(_, let name, let input):
                text += "**\(ContainedMarkdown.inline(name))**\n\n" + fenced(input.compact, "json")
            case .toolResult(_, let content, let isError):
                text += (isError ? "Error:\n\n" : "") + fenced(content, "")
            case .image(let type, let description):
                text += "*\(ContainedMarkdown.inline("\(type) \(description)"))*\n\n"
            }
        }
        return text
    }

    private static func heading(_ role: String, _ time: Timestamp, _ model: String?) -> String {
        let names = ["user": "You", "assistant": "Claude", "system": "Claude Code"]
        let name = names[role] ?? role
        return "\n## \(name)\n\n*\(time)\(model.map { ", \(ContainedMarkdown.inline($0))" } ?? "")*\n\n"
    }

    /// A fence longer than any in the text, so that the text cannot end it.
    private static func fenced(_ text: String, _ language: String) -> String {
        guard !text.isEmpty else { return "" }
        let shown = text.cut(to: toolText)
        var longest = 2
        var run = 0
        for character in shown.utf8 {
            run = character == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        return "\(fence)\(language)\n\(shown)\n\(fence)\n\n"
    }
}

extension JSONValue {
    fileprivate var compact: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
