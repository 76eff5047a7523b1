internal import JSON

/// What a person is asked while a turn runs. `/v1/prompts/{id}` has the whole.
package struct ChatPrompt: Sendable, Equatable {
    package var id: String
    package var kind: String
    package var toolName: String?
    package var title: String
    package var detail: String

    package init(id: String, kind: String, toolName: String?, title: String, detail: String) {
        (self.id, self.kind, self.toolName, self.title, self.detail) = (id, kind, toolName, title, detail)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id)
        writer.field("kind", kind)
        writer.textOrNull("tool_name", toolName)
        writer.field("title", title)
        writer.field("detail", detail)
        writer.endObject()
    }
}

/// The session in an answer.
package struct ChatAnswerSession: Sendable, Equatable {
    package let id: String
    package let projectID: String?
    /// Whether Claude Code works there with its own tools, and people are asked.
    let isOfProject: Bool

    /// - Parameter project: `nil` if it is not known.
    init(id: String, ofProject project: String?) {
        (self.id, projectID, isOfProject) = (id, project, true)
    }

    /// That of a plain chat.
    init(chat id: String) {
        (self.id, projectID, isOfProject) = (id, nil, false)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("session_id", id)
        if isOfProject { writer.textOrNull("project_id", projectID) }
    }
}

/// The member `monitor` of an answer: what Claude's own tools did, and what people were asked.
struct ChatMonitor {
    private struct Tool {
        var id: String
        var name: String
        /// `nil` while it runs.
        var isError: Bool?
    }

    private var tools: [Tool] = []
    private var prompts: [ChatPrompt] = []

    init(_ pieces: [ChatPiece]) {
        var places: [String: Int] = [:]
        for piece in pieces {
            switch piece {
            case .tool(let id, let name):
                places[id] = tools.count
                tools.append(Tool(id: id, name: name))
            case .toolEnded(let id, let isError):
                if let place = places[id] { tools[place].isError = isError }
            case .prompt(let prompt): prompts.append(prompt)
            case .text, .thinking: break
            }
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject("monitor")
        writer.beginArray("tools")
        for tool in tools {
            writer.beginObject()
            writer.field("id", tool.id)
            writer.field("name", tool.name)
            if let isError = tool.isError { writer.field("is_error", isError) } else { writer.null("is_error") }
            writer.endObject()
        }
        writer.endArray()
        writer.beginArray("prompts")
        for prompt in prompts { prompt.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}
