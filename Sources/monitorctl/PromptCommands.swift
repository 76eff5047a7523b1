import ArgumentParser
import Foundation

struct PromptsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompts",
        abstract: "List what sessions ask of a person, the most recent first."
    )

    enum State: String, ExpressibleByArgument, CaseIterable {
        case open, answered, overtaken, expired, gone, all
    }

    @Option(help: "Only prompts in this state.")
    var state = State.open

    @Option(help: "Only prompts of this session.")
    var session: String?

    @Option(help: "At most this many.")
    var limit = 50

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit is 1 to 200") }
    }

    func execute(_ client: HTTPClient) async throws {
        var query = [URLQueryItem(name: "limit", value: String(limit))]
        if state != .all { query.append(URLQueryItem(name: "state", value: state.rawValue)) }
        if let session { query.append(URLQueryItem(name: "session_id", value: session)) }
        let body = try await client.get("/v1/prompts", query: query)
        if connection.json { return try Output.document(body) }
        let now = Date()
        try Table.show(
            columns: [
                .init(heading: "PROMPT", minimum: 36), .init(heading: "MACHINE"), .init(heading: "STATE"),
                .init(heading: "AGE", alignment: .right), .init(heading: "ANSWER", minimum: 6),
                .init(heading: "RISK"), .init(heading: "WHAT", minimum: 20),
            ],
            rows: try ServerJSON.decode(PromptList.self, body).prompts.map { row($0, now) },
            ifEmpty: "Nothing\(state == .all ? "" : " that is \(state.rawValue)")."
        )
    }

    private func row(_ prompt: PromptList.Prompt, _ now: Date) -> [Table.Cell] {
        let answer = prompt.answer.map { "\($0.decision ?? "yes") by \($0.by?.name ?? $0.by?.kind ?? "-")" }
        let possible = prompt.answerable == true ? "possible" : "-"
        return [
            Table.Cell(prompt.id), Table.Cell(prompt.machineName ?? "-"),
            Table.Cell(prompt.state ?? "-", style: prompt.state == "open" ? .cyan : nil),
            Table.Cell(Moments.age(of: prompt.openedAt, now: now)), Table.Cell(answer ?? possible),
            Table.Cell(prompt.risk ?? "-"),
            Table.Cell(
                [prompt.title, prompt.detail].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
            ),
        ]
    }
}

struct AnswerCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a prompt: allow or deny it, or give the text that a question asks for.",
        discussion: """
            A question with several parts needs --answer for each: --answer 'Which database?=SQLite'. \
            What is asked is shown first. The answer is refused if the machine's own rules do not allow it.
            """
    )

    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case once, session, always
    }

    @Argument(help: "The prompt's id: monitorctl prompts shows it.")
    var prompt: String

    @Argument(help: "allow, deny, or the answer to a question with one part.")
    var answer: String?

    @Option(help: "How long an 'allow' holds.")
    var scope: Scope?

    @Option(help: "What Claude is told with a 'deny'.")
    var message: String?

    @Flag(help: "With 'deny': end the turn.")
    var interrupt = false

    @Option(help: "QUESTION=ANSWER; may be repeated.")
    var answers: [String] = []

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard answer != nil || !answers.isEmpty else { throw ValidationError("say allow, deny, or an answer") }
        guard answers.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--answers is QUESTION=ANSWER") }
    }

    func execute(_ client: HTTPClient) async throws {
        let path = "/v1/prompts/\(try PathSegment.encode(prompt))"
        let shown = try ServerJSON.decode(PromptList.Prompt.self, try await client.get(path))
        let body = try JSONSerialization.data(withJSONObject: try body(for: shown))
        let reply = try await client.expectSuccess(client.send("POST", path + "/answer", body: body))
        if connection.json { return try Output.document(reply.body) }
        try Output.line(TerminalText.printable("\(shown.title ?? "Prompt"): answered."))
    }

    private func body(for shown: PromptList.Prompt) throws -> [String: Any] {
        var body: [String: Any] = ["answer_id": UUID().uuidString.lowercased()]
        if let message { body["message"] = message }
        if interrupt { body["interrupt"] = true }
        if let scope { body["scope"] = scope.rawValue }
        if shown.kind == "elicitation", let answer {
            body["action"] = answer
        } else if answer == "allow" || answer == "deny" {
            body["decision"] = answer
        } else {
            body["answers"] = try given(shown)
        }
        return body
    }

    private func given(_ shown: PromptList.Prompt) throws -> [String: String] {
        var given: [String: String] = [:]
        for pair in answers {
            let parts = pair.split(separator: "=", maxSplits: 1)
            given[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        guard let answer else { return given }
        guard let questions = shown.questions, questions.count == 1, let text = questions[0].question else {
            throw CommandError.refused("the prompt has no single question: use allow, deny or --answers")
        }
        given[text] = answer
        return given
    }
}

struct SendCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message to a session, as if it were typed there."
    )

    @Argument(help: "The session's id: monitorctl sessions shows it.")
    var session: String

    @Argument(help: "The message.")
    var text: String

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let body = try JSONEncoder().encode(["text": text, "message_id": UUID().uuidString.lowercased()])
        let path = "/v1/sessions/\(try PathSegment.encode(session))/input"
        let reply = try await client.expectSuccess(client.send("POST", path, body: body))
        if connection.json { return try Output.document(reply.body) }
        try Output.line("Queued. It is read when the session next looks for messages.")
    }
}

/// A part of a path that a person has typed.
private enum PathSegment {
    static func encode(_ text: String) throws(CommandError) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        guard let encoded = text.addingPercentEncoding(withAllowedCharacters: allowed), !encoded.isEmpty else {
            throw .refused("'\(text)' is not an id")
        }
        return encoded
    }
}

/// The fields of prompts that the commands show. Every field may be missing, except the id.
struct PromptList: Decodable {
    struct Prompt: Decodable {
        struct Answer: Decodable {
            struct Answerer: Decodable {
                var kind: String?
                var name: String?
            }
            var decision: String?
            var by: Answerer?
        }
        struct Question: Decodable {
            var question: String?
        }
        var id: String
        var kind: String?
        var state: String?
        var machineName: String?
        var title: String?
        var detail: String?
        var risk: String?
        var openedAt: String?
        var answerable: Bool?
        var answer: Answer?
        var questions: [Question]?
    }
    var prompts: [Prompt]
}
