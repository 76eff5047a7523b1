import ArgumentParser
import Foundation

struct AnswerCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a prompt: a permission, a question, a plan or a form.",
        discussion: """
            monitorctl answer ID allow --scope session
            monitorctl answer ID deny --message 'Use the other branch.' --interrupt
            monitorctl answer ID SQLite
            monitorctl answer ID --answers 'Which database?=SQLite' --answers 'Which platforms?=Mac'
            monitorctl answer ID allow --mode acceptEdits
            monitorctl answer ID accept --content '{"branch":"main"}'

            The server refuses an answer that does not fit the prompt, or that the machine's approvals file does not \
            allow. It then gives the reason.
            """
    )

    @Argument(help: "The prompt's id, as `monitorctl prompts` shows it.")
    var prompt: String

    @Argument(
        help: """
            allow or deny; for a form accept, decline or cancel; or the answer to a question with one part.
            """
    )
    var answer: String?

    @OptionGroup var words: AnswerWords

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard answer != nil || !words.isEmpty else { throw ValidationError("give an answer, such as allow") }
        _ = try words.members()
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
        let questions = (shown.questions ?? []).compactMap(\.question)
        body.merge(try words.members(asked: questions)) { _, given in given }
        guard let answer else { return body }
        switch (shown.kind, answer) {
        case ("elicitation", "allow"): body["action"] = "accept"
        case ("elicitation", "deny"): body["action"] = "decline"
        case ("elicitation", _): body["action"] = answer
        case (_, "allow"), (_, "deny"): body["decision"] = answer
        default:
            guard questions.count == 1 else {
                throw CommandError.refused("the prompt does not consist of one question: use allow, deny or --answers")
            }
            var answers = body["answers"] as? [String: Any] ?? [:]
            answers[questions[0]] = answer
            body["answers"] = answers
        }
        return body
    }
}
