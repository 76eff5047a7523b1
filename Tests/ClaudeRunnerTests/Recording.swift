import ClaudeRunner
import Foundation
import JSON

/// A recorded conversation with the real client: one line of `Fixtures` for each frame.
struct Recording {
    struct Frame {
        var isFromClient: Bool
        var message: JSONValue
    }

    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Fixtures"
    )

    static var names: [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (files ?? []).filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()
    }

    let frames: [Frame]

    init(_ name: String) throws {
        let data = try Data(contentsOf: Recording.directory.appendingPathComponent(name + ".jsonl"))
        frames = try data.split(separator: 10).map { line in
            let value = try JSONValue.parse(Array(line), maxDepth: 256)
            return Frame(isFromClient: value["dir"]?.string == "out", message: value["msg"] ?? .null)
        }
    }

    /// A conversation that is ready and has heard the whole recording. What the host sent in it is sent, too.
    func play() throws -> (conversation: ClaudeConversation, actions: [ClaudeConversation.Action]) {
        var conversation = readyConversation(session: sessionID)
        var actions: [ClaudeConversation.Action] = []
        for frame in frames {
            if frame.isFromClient {
                actions += conversation.receive(frame.message)
            } else {
                actions += try Recording.send(frame.message, &conversation)
            }
        }
        return (conversation, actions)
    }

    var sessionID: String {
        frames.lazy.compactMap { $0.message["session_id"]?.string }.first { !$0.isEmpty } ?? "session"
    }

    private static func send(
        _ message: JSONValue,
        _ conversation: inout ClaudeConversation
    ) throws -> [ClaudeConversation.Action] {
        switch message["type"]?.string {
        case "user":
            guard let id = message["uuid"]?.string, let content = message["message"]?["content"] else { return [] }
            return try conversation.send(id: id, content: content, asCommand: content.string?.first == "/")
        case "control_response":
            guard let id = message["response"]?["request_id"]?.string else { return [] }
            return try conversation.answer(prompt: id, reply(message["response"]?["response"] ?? .null)) ?? []
        default: return []
        }
    }

    private static func reply(_ response: JSONValue) -> PromptReply {
        if let action = response["action"]?.string { return .elicitation(action: action, content: response["content"]) }
        if response["behavior"]?.string == "allow" {
            return .allow(
                updatedInput: response["updatedInput"],
                permissions: response["updatedPermissions"]?.array ?? []
            )
        }
        return .deny(
            message: response["message"]?.string ?? "",
            interrupt: response["interrupt"]?.bool ?? false
        )
    }
}

/// A conversation with a client that has answered `initialize`.
func readyConversation(
    session: String = "session",
    reply: [(String, JSONValue)] = [("session_state", .string("idle"))],
    unfinished: [String] = []
) -> ClaudeConversation {
    var conversation = ClaudeConversation(
        sessionID: session,
        mode: "default",
        model: nil,
        directory: "/home/dev/app",
        requestPrefix: "r",
        unfinished: unfinished
    )
    let id = conversation.request(.initialize(systemPrompt: nil)).id
    _ = conversation.receive(success(id, .object(reply)))
    return conversation
}

func success(_ request: String, _ response: JSONValue, _ more: [(String, JSONValue)] = []) -> JSONValue {
    .object([
        ("type", .string("control_response")),
        (
            "response",
            .object(
                [("subtype", .string("success")), ("request_id", .string(request)), ("response", response)] + more
            )
        ),
    ])
}

func json(_ text: String) -> JSONValue {
    (try? JSONValue.parse(Array(text.utf8))) ?? .null
}

extension [ClaudeConversation.Action] {
    var events: [ClaudeSessionEvent] {
        compactMap { action in
            if case .emit(let event) = action { event } else { nil }
        }
    }

    /// The lines to the client.
    var lines: [JSONValue] {
        compactMap { action in
            if case .write(_, let line) = action { try? JSONValue.parse(line) } else { nil }
        }
    }
}

extension [ClaudeSessionEvent] {
    var states: [ClaudeState] {
        compactMap { event in
            if case .state(let state) = event { state } else { nil }
        }
    }

    var turns: [TurnEnd] {
        compactMap { event in
            if case .turnEnded(let end) = event { end } else { nil }
        }
    }

    func messages(_ progress: MessageProgress) -> [String] {
        flatMap { event -> [String] in
            if case .messages(let ids, progress) = event { return ids }
            return []
        }
    }

    var openedPrompts: [OpenPrompt] {
        compactMap { event in
            if case .promptOpened(let prompt) = event { prompt } else { nil }
        }
    }

    var withdrawnPrompts: [String] {
        compactMap { event in
            if case .promptWithdrawn(let id) = event { id } else { nil }
        }
    }
}
