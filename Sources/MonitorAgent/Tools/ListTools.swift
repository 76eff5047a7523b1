internal import JSON
internal import RPC

extension AgentCommand {
    /// Asks which MCP servers Claude Code has in a directory, and which tools they have.
    struct ListTools: Sendable, Equatable {
        var directory: String

        init(_ params: RPCParams) throws(RPCError) {
            directory = try params.required("path", limit: 4096)
            guard directory.hasPrefix("/"), directory.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
                throw .invalidParameter("path", "is not an absolute path")
            }
        }
    }
}
