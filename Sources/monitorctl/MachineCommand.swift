import ArgumentParser

struct MachineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "machine",
        abstract: "Change what the server knows of a machine.",
        subcommands: [ResetAgent.self]
    )

    struct ResetAgent: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-agent",
            abstract: "Forget a machine's agent. The next one that connects takes its place.",
            discussion: """
                The server refuses an agent that is not the first of its machine. \
                Use this after an agent was installed anew, and its earlier state is lost.
                """
        )

        @Argument(help: "The machine, by its name or number.")
        var machine: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let path = "/v1/machines/\(try PathSegment.encode(machine))/agent"
            let reply = try await client.expectSuccess(client.send("DELETE", path))
            if connection.json { return try Output.document(reply.body) }
            try Output.line("The next agent of \(TerminalText.printable(machine)) that connects is its agent.")
        }
    }
}
