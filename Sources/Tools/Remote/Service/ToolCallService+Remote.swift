internal import EventModel
internal import HTTPModel
internal import MachinePolicy
internal import Persistence

/// Approvals of calls that the monitor itself makes.
extension ToolCallService {
    /// The server's tool must be what is pinned. Then the operator's file decides, or a person who is not the caller.
    func remoteApproval(of begun: Begun) async throws(APIError) -> ToolApproval {
        let call = begun.call
        let tool = try await registry.remote.confirm(call)
        let asked = ToolPolicy.Call(server: call.server, tool: call.tool, caller: call.caller)
        switch ports.policy().verdict(on: asked, isHarmless: tool.isHarmless) {
        case .refuse(let reason): throw ToolCallRefusal.forbidden(reason)
        case .allow(let line) where !begun.mustAsk:
            try requireRight(of: begun)
            return ToolApproval(promptID: nil, approver: line == 0 ? "trust_hints" : "tools.policy:\(line)")
        case .allow:
            return try await askPerson(about: begun, nil, "")
        case .ask(let seconds, let words):
            return try await askPerson(about: begun, seconds, words)
        }
    }

    /// - Parameter words: who may answer, as a hook says it.
    private func askPerson(
        about begun: Begun,
        _ seconds: Double?,
        _ words: String
    ) async throws(APIError) -> ToolApproval {
        open.ask(begun.row.id)
        let most = ToolCallService.approvalSeconds
        try await ports.askPerson(begun.call, min(seconds ?? most, most), words)
        return try await approval(of: begun)
    }
}
