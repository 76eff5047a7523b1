internal import API
internal import Agents
internal import CdevDialect
internal import EventModel
internal import GitInterface
internal import HTTPModel
internal import JSON
internal import RPC

/// Git in workspaces, for cdev's methods.
extension ServerContext {
    /// What is known of a workspace's repository.
    func tracker(of workspace: String, for principal: Principal) -> RPCTracker? {
        agents.tracker(of: workspace, for: principal).map { tracker in
            RPCTracker(
                state: tracker.state.rawValue,
                error: tracker.error,
                git: tracker.state == .healthy ? tracker.status.map(RPCTracker.Git.init) : nil
            )
        }
    }

    /// The same, after the machine's agent was asked if nothing is known.
    func track(_ workspace: String, for principal: Principal) async -> RPCTracker? {
        let known = tracker(of: workspace, for: principal)
        guard known?.git == nil, known?.state != GitTracker.State.notRepository.rawValue else { return known }
        await agents.refreshTracker(of: workspace, for: Responder(principal))
        return tracker(of: workspace, for: principal)
    }

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
