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
        case .allow(let line) where !begun.mustAsk:
            try requireRight(of: begun)
            return ToolApproval(promptID: nil, approver: line == 0 ? "trust_hints" : "tools.policy:\(line)")
        case .allow:
            return try await askPerson(about: begun, tool, nil, "")
        case .ask(let seconds, let words):
            return try await askPerson(about: begun, tool, seconds, words)
        }
    }

    /// - Parameter words: who may answer, in the words of a hook.
    private func askPerson(
        about begun: Begun,
        _ tool: RemoteServers.Confirmed,
        _ seconds: Double?,
        _ words: String
    ) async throws(APIError) -> ToolApproval {
        open.ask(begun.row.id)
        let most = ToolCallService.approvalSeconds
        try await ports.askPerson(begun.call, min(seconds ?? most, most), words)
        // A person may have taken an hour to decide.
        let asked = ToolPolicy.Call(server: begun.call.server, tool: begun.call.tool, caller: begun.call.caller)
        if case .refuse(let reason) = ports.policy().verdict(on: asked, isHarmless: tool.isHarmless) {
            throw ToolCallRefusal.forbidden(reason)
        }
        return try await approval(of: begun)
    }
}
