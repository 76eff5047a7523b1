internal import EventModel
internal import HTTPModel
internal import MachinePolicy
internal import Persistence

/// Approvals of calls that the monitor itself makes.
extension ToolCallService {
    /// The operator's file decides, or a person who is not the caller.
    ///
    /// - Parameter tool: is what is pinned.
    func remoteApproval(
        of begun: Begun,
        _ tool: RemoteServers.Confirmed
    ) async throws(APIError) -> ToolApproval {
        let call = begun.call
        let asked = ToolPolicy.Call(server: call.server, tool: call.tool, caller: call.caller)
        switch ports.policy().verdict(on: asked, isHarmless: tool.isHarmless) {
        case .refuse(let reason): throw ToolCallRefusal.forbidden(reason)
        case .allow(let line):
            try requireRight(of: begun)
            return ToolApproval(promptID: nil, approver: line == 0 ? "trust_hints" : "tools.policy:\(line)")
        case .ask(let seconds, let words):
            let most = ToolCallService.approvalSeconds
            try await ports.askPerson(call, min(seconds ?? most, most), words)
            // A person may have taken an hour to decide.
            if case .refuse(let reason) = ports.policy().verdict(on: asked, isHarmless: tool.isHarmless) {
                throw ToolCallRefusal.forbidden(reason)
            }
            return try await approval(of: begun)
        }
    }
}
