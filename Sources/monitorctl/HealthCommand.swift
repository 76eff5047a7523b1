import ArgumentParser

struct HealthCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Show the server's health. Needs no token; exits 1 if the server is degraded."
    )

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let reply = try await client.send("GET", "/health", authorization: .none)
        guard reply.status == 200 || reply.status == 503 else {
            throw ServerFault(status: reply.status, body: reply.body).error(server: client.server.absoluteString)
        }
        try connection.json ? Output.document(reply.body) : FlatJSON.show(reply.body)
        if reply.status == 503 {
            throw CommandError.refused("the server cannot commit events: see its log and `monitorctl doctor`")
        }
    }
}
