import ArgumentParser
import Foundation

struct PromptsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompts",
        abstract: "List the prompts, which are what sessions ask a person. The most recent come first.",
        discussion: """
            monitorctl prompts ID prints one prompt with everything that is asked, as JSON. Values that could be \
            secrets are masked, and 'masked' names them. With --reveal nothing is masked; a prompt with a masked part \
            can be allowed only after that. The server records who has read it.
            """
    )

    enum State: String, ExpressibleByArgument, CaseIterable {
        case open, answered, overtaken, expired, gone, all
    }

    @Argument(help: "Show only the prompt with this id, in full.")
    var prompt: String?

    @Flag(help: "With an id: show the prompt unmasked.")
    var reveal = false

    @Option(help: "Only prompts in this state.")
    var state = State.open

    @Option(help: "Only prompts of this session.")
    var session: String?

    @Option(help: "The maximum number of prompts.")
    var limit = 50

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be from 1 to 200") }
        guard prompt != nil || !reveal else { throw ValidationError("--reveal needs the id of a prompt") }
    }

    func execute(_ client: HTTPClient) async throws {
        if let prompt {
            let path = "/v1/prompts/\(try PathSegment.encode(prompt))"
            let query = reveal ? [URLQueryItem(name: "reveal", value: "true")] : []
            return try Output.document(try await client.get(path, query: query))
        }
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
            Table.Cell(what(prompt)),
        ]
    }
}

extension PromptsCommand {
    /// What is asked, in one line, which says if it is not all.
    fileprivate func what(_ prompt: PromptList.Prompt) -> String {
        let line = [prompt.title, prompt.detail].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
        return prompt.kind == "permission" && prompt.detailComplete != true ? line + " (not all is shown)" : line
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
        var detailComplete: Bool?
        var risk: String?
        var openedAt: String?
        var answerable: Bool?
        var answer: Answer?
        var questions: [Question]?
    }
    var prompts: [Prompt]
}
