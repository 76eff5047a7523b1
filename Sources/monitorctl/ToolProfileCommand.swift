import ArgumentParser
import Foundation

extension ToolsCommand {
    struct Profiles: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the named sets of tools, for /mcp/NAME.")

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/mcp/profiles")
            if connection.json { return try Output.document(body) }
            try Table.show(
                columns: [.init(heading: "NAME"), .init(heading: "CHANGED BY"), .init(heading: "TOOLS")],
                rows: try ServerJSON.decode(ListedProfiles.self, body).profiles.map { profile in
                    [
                        Table.Cell(profile.name), Table.Cell(profile.changedBy),
                        Table.Cell(profile.tools.joined(separator: " ")),
                    ]
                },
                ifEmpty: "No profiles."
            )
        }
    }

    struct SetProfile: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-profile",
            abstract: "Make or replace a named set of tools, for /mcp/NAME.",
            discussion: """
                A set narrows what a caller may do at /mcp/NAME, and allows nothing:
                  monitorctl tools set-profile reader list_sessions get_messages 'git.*' time.get_current_time
                """
        )

        @Argument(help: "1 to 32 small letters, digits and '-'.")
        var name: String

        @Argument(help: "Tools of the monitor by their names, others as SERVER.TOOL, or SERVER.* for all of a server.")
        var tools: [String]

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try JSONSerialization.data(withJSONObject: ["tools": tools])
            let path = "/v1/mcp/profiles/\(try PathSegment.encode(name))"
            let reply = try await client.expectSuccess(client.send("PUT", path, body: body))
            if connection.json { return try Output.document(reply.body) }
            let kept = try ServerJSON.decode(ListedProfile.self, reply.body)
            try Output.line("/mcp/\(TerminalText.printable(kept.name)) has \(kept.tools.count) names")
        }
    }

    struct RemoveProfile: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-profile",
            abstract: "Remove a named set of tools."
        )

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let path = "/v1/mcp/profiles/\(try PathSegment.encode(name))"
            _ = try await client.expectSuccess(client.send("DELETE", path))
            if !connection.json { try Output.line("removed \(TerminalText.printable(name))") }
        }
    }
}

private struct ListedProfile: Decodable {
    var name: String
    var tools: [String]
    var changedBy: String
}

private struct ListedProfiles: Decodable {
    var profiles: [ListedProfile]
}
