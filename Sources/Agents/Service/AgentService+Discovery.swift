package import API
package import EventModel
package import HTTPModel
internal import JSON

/// A directory of a machine that is a repository or in which Claude Code has worked.
package struct FoundDirectory: Sendable, Equatable {
    /// A real path.
    package let path: String
    package let isRepository: Bool
    /// The conversations that began there.
    package let conversations: Int64
    package let modifiedAt: Timestamp?

    init?(_ json: JSONValue) {
        guard let path = json["path"]?.string, path.hasPrefix("/"), path.utf8.count <= 4096 else { return nil }
        self.path = path
        isRepository = json["is_git_repo"]?.bool ?? false
        conversations = max(0, json["conversations"]?.integer ?? 0)
        modifiedAt = json["modified_at"]?.string.flatMap(Timestamp.init(rfc3339:))
    }
}

extension AgentService {
    private static let discoverySeconds = 10.0
    private static let mostFound = 500

    /// Has the machine's agent look for projects below its roots.
    ///
    /// - Parameters:
    ///   - paths: where to look; `nil` means all roots.
    ///   - depth: the levels below them; `nil` means what is usual. With 0, each path is found that is a directory
    ///     within the roots.
    /// - Returns: `nil` if the agent cannot say.
    package func discover(
        _ paths: [String]?,
        depth: Int64? = nil,
        on link: AgentLink,
        by responder: Responder
    ) async throws(APIError) -> (found: [FoundDirectory], isComplete: Bool)? {
        let command = AgentCommand(
            "workspace/discover",
            id: newID(),
            by: responder.actor,
            [
                ("paths", paths.map { .array($0.map(JSONValue.string)) }), ("depth", depth.map(JSONValue.integer)),
            ]
        )
        let result = try await link.call(command, seconds: Self.discoverySeconds)
        guard let directories = result["directories"]?.array else { return nil }
        let found = directories.prefix(AgentService.mostFound).compactMap(FoundDirectory.init)
        return (found, result["complete"]?.bool ?? true)
    }
}
