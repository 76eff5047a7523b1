import ArgumentParser
import Foundation

struct SessionsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List Claude Code sessions, the most recent first."
    )

    enum Status: String, ExpressibleByArgument, CaseIterable {
        case active, idle, ended, all
    }

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case session, chat
    }

    @Option(help: "Sessions of Claude Code, or plain chats.")
    var kind = Kind.session

    @Option(help: "Only sessions with this status.")
    var status = Status.all

    @Option(help: "Only sessions of this machine.")
    var machine: String?

    @Option(help: "The maximum number of sessions.")
    var limit = 50

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be from 1 to 200") }
    }

    func execute(_ client: HTTPClient) async throws {
        var query = [URLQueryItem(name: "limit", value: String(limit))]
        if kind != .session { query.append(URLQueryItem(name: "kind", value: kind.rawValue)) }
        if status != .all { query.append(URLQueryItem(name: "status", value: status.rawValue)) }
        if let machine { query.append(URLQueryItem(name: "machine", value: machine)) }
        let body = try await client.get("/v1/sessions", query: query)
        if connection.json { return try Output.document(body) }
        let now = Date()
        try Table.show(
            columns: [
                .init(heading: "SESSION", minimum: 8), .init(heading: "MACHINE"), .init(heading: "STATUS"),
                .init(heading: "STATE", minimum: 7), .init(heading: "QUIET", alignment: .right, minimum: 5),
                .init(heading: "TOOLS", alignment: .right, minimum: 5),
                .init(heading: "TOKENS", alignment: .right, minimum: 6), .init(heading: "PROJECT", minimum: 10),
            ],
            rows: try ServerJSON.decode(SessionList.self, body).sessions.map { row($0, now) },
            ifEmpty: "No sessions\(status == .all ? " yet" : " that are \(status.rawValue)")."
        )
    }

    private func row(_ session: SessionList.Session, _ now: Date) -> [Table.Cell] {
        let colours: [String: TerminalStyle.Colour] = ["active": .green, "idle": .yellow, "ended": .dim]
        let waiting = session.waitingFor.map { $0.toolName ?? $0.kind ?? "you" }
        let state = waiting.map { "waiting: \($0)" } ?? session.state ?? "-"
        let tokens = session.tokenUsage.map { ($0.inputTokens ?? 0) + ($0.outputTokens ?? 0) }
        return [
            Table.Cell(session.id), Table.Cell(session.machineName ?? "-"),
            Table.Cell(session.status ?? "-", style: session.status.flatMap { colours[$0] }),
            Table.Cell(state, style: waiting == nil ? (session.state == "error" ? .red : nil) : .cyan),
            Table.Cell(Moments.age(of: session.lastActivityAt, now: now)),
            Table.Cell(session.toolCallCount.map(String.init) ?? "-"),
            Table.Cell(tokens.map(SessionsCommand.short) ?? "-"),
            Table.Cell(session.projectPath ?? session.title ?? "-"),
        ]
    }

    /// `950`, `12k`, `3.4M`.
    static func short(_ count: Int64) -> String {
        switch count {
        case ..<1000: "\(count)"
        case ..<1_000_000: "\(count / 1000)k"
        default: "\(count / 1_000_000).\(count / 100_000 % 10)M"
        }
    }
}
