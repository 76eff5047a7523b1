internal import API
internal import Agents
internal import CdevDialect
internal import GitInterface
internal import HTTPModel
internal import JSON
internal import RPC

/// Git in workspaces, for cdev's methods.
extension ServerContext {
    func git(_ call: RPCGitCall) async throws(RPCError) -> [UInt8] {
        guard let method = GitMethod.named(call.verb) else { throw .agentNotConfigured(call.method) }
        do throws(APIError) {
            let result = try await agents.git(
                method,
                call.arguments,
                inProject: call.workspaceID,
                by: Responder(call.principal)
            )
            var writer = JSONWriter(reserving: 4096)
            writer.value(result)
            return writer.bytes
        } catch {
            switch error.code {
            case "project_not_found": throw .workspaceNotFound(call.workspaceID)
            case "agent_unavailable": throw .notReachable(error.message, call.method, sessionID: nil)
            default:
                throw RPCError.git(error.message, reason: error.code, call.method)
                    ?? RPCError.file(error.message, reason: error.code, call.method)
                    ?? RPCError(error, method: call.method)
            }
        }
    }
}
