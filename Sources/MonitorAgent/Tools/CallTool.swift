internal import JSON
internal import RPC
internal import Signing

extension AgentCommand {
    /// A call of an MCP server's tool, about which a person is asked. The command's id names the call.
    struct AskTool: Sendable, Equatable {
        var server: String
        /// As Claude Code names the place of the server's configuration.
        var scope: String
        var tool: String
        /// The SHA-256 of the definition that the caller knows; `nil` if the caller knows only the tool's name.
        var digest: String?
        var arguments: JSONValue
        /// The directory of the process that only runs tools; `nil` for a call in a session.
        var directory: String?

        init(_ params: RPCParams, in directory: String? = nil) throws(RPCError) {
            self.directory = directory
            server = try params.required("server", limit: 512)
            scope = try params.required("scope", limit: 32)
            tool = try params.required("tool", limit: 128)
            digest = try params.string("digest", limit: 64)
            guard let arguments = params.value("arguments"), arguments.isObject else {
                throw .invalidParameter("arguments", "is not an object")
            }
            self.arguments = arguments
        }

        var recorded: [(String, JSONValue)] {
            [
                ("server", .string(server)), ("tool", .string(tool)),
                ("arguments_sha256", .string(Digest.hex(ofSorted: arguments))),
            ] + (directory.map { [("path", .string(String($0.prefix(1024))))] } ?? [])
        }
    }

    /// A call that a person has approved.
    struct ApprovedTool: Sendable, Equatable {
        var call: String
        /// The first byte of the result that the answer contains.
        var offset: Int

        init(_ params: RPCParams) throws(RPCError) {
            call = try params.required("call_id", limit: 36)
            offset = Int(try params.integer("offset", in: 0...(1 << 32)) ?? 0)
        }
    }
}
