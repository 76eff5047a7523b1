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
        var text = ""
        var speaker: String?
        for block in message.blocks {
            let next = name(of: block, in: message)
            if next != speaker { text += heading(next, message.place.at, message.model) }
            speaker = next
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

    /// Transcripts have the results of tools, and what the client itself tells, in the messages of the user.
    private static func name(of block: MessageBlock, in message: ConversationMessage) -> String {
        switch (message.role, block) {
        case (.assistant, _): "Claude"
        case (.user, .toolResult): "Claude Code"
        case (.user, .text(let words)) where isOfClient(words): "Claude Code"
        case (.user, _): "You"
        default: "Claude Code"
        }
    }

    private static let clientElements = [
        "task-notification", "system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat",
        "bash-stdout", "bash-stderr",
    ]

    private static func isOfClient(_ words: String) -> Bool {
        clientElements.contains { words.hasPrefix("<\($0)>") && words.hasSuffix("</\($0)>") }
    }

    static func changes(_ list: String) -> String { "\n## Changed files\n\n" + fenced(list, "") }

    private static func heading(_ name: String, _ time: Timestamp, _ model: String?) -> String {
        "\n## \(name)\n\n*\(time)\(model.map { ", \(ContainedMarkdown.inline($0))" } ?? "")*\n\n"
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
