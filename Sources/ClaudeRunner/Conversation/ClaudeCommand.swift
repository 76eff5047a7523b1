internal import JSON

/// A slash command that a device may give.
package struct ClaudeCommand: Sendable, Equatable {
    /// Without the slash.
    package var name: String
    package var description: String?
    /// What may follow the name, such as `[model]`.
    package var argumentHint: String?

    package init(name: String, description: String? = nil, argumentHint: String? = nil) {
        (self.name, self.description, self.argumentHint) = (name, description, argumentHint)
    }

    /// One of the list in the client's answer to `initialize`.
    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string else { return nil }
        func text(_ member: String) -> String? {
            json[member]?.string.flatMap { $0.isEmpty ? nil : String($0.prefix(300)) }
        }
        self.init(name: name, description: text("description"), argumentHint: text("argumentHint"))
    }

    /// The commands of the client itself that devices may give.
    package static let own = [
        ClaudeCommand(name: "clear", description: "Begin a new conversation"),
        ClaudeCommand(name: "compact", description: "Summarize the conversation", argumentHint: "[instructions]"),
        ClaudeCommand(name: "context", description: "Show what fills the context"),
        ClaudeCommand(name: "model", description: "Switch the model", argumentHint: "[model]"),
    ]
}

extension ClaudeConversation {
    /// A person's or a project's own skills are many at most.
    private static let mostSkills = 500

    /// What a device may give as a command: few commands of the client, and all skills.
    package var commands: [ClaudeCommand] { ClaudeCommand.own + skills }

    /// A skill that has the name of a command of the client does not hide it.
    mutating func add(_ skill: ClaudeCommand) {
        guard !commands.contains(where: { $0.name == skill.name }), skills.count < ClaudeConversation.mostSkills
        else { return }
        skills.append(skill)
    }
}
