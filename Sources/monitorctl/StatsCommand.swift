import ArgumentParser

struct StatsCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show totals over all sessions: their number, tokens and cost."
    )

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let body = try await client.get("/v1/sessions/stats")
        try connection.json ? Output.document(body) : FlatJSON.show(body)
    }
}
