internal import API
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import MCP
internal import Prompts
internal import Sessions
internal import Tools

/// Calls of remote tools, about which the monitor itself asks. Each has a session of its own, which no client is shown.
extension PersonAsker {
    /// Returns when a person has approved the call.
    ///
    /// - Parameter words: who may answer, as a hook says it.
    func ask(
        about call: ToolCallPorts.Call,
        as id: String,
        seconds: Double,
        _ words: String
    ) async throws(APIError) {
        let grant = MachineGrant(keyID: nil, machine: .monitor, machineName: call.machineName)
        let place = CallPlace(alone: EventID(name: "remote:session:\(call.id)", machine: .monitor).description)
        var held = try decoded(call.hook(in: place, as: id), grant)
        held.event.id = PersonAsker.event(of: call)
        let open = try await open(held, in: place, as: id, words, seconds, grant)
        let answer = await turn(open)()
        await finish(open)
        switch answer {
        case .allowed: return
        case PersonAnswer.expired: throw .approvalExpired
        case .denied(let message, _):
            throw APIError(.permission, status: 403, code: "denied_by_person", message: message)
        case .replied, .elsewhere: throw .approvalExpired
        }
    }

    /// Closes the prompt of a call, because nobody waits for the call any more.
    func withdraw(_ call: ToolCallPorts.Call) async {
        let event = PersonAsker.event(of: call)
        await holds.end(HoldKey(machine: .monitor, id: event.description), .gone, event: event)
    }

    private static func event(of call: ToolCallPorts.Call) -> EventID {
        EventID(name: "remote:call:\(call.id)", machine: .monitor)
    }
}

extension ToolCallPorts.Call {
    /// The request as a hook would report it. It names the caller, who is no model of a session.
    fileprivate func hook(in place: CallPlace, as id: String) -> [UInt8] {
        let name = actor.name.map { " (\($0))" } ?? ""
        // The audit log's name of an API key would be masked, as though the key itself followed.
        let caller = caller.replacing("api_key:", with: "program ").replacing(":", with: " ")
        var members: [(String, JSONValue)] = [
            ("caller", .string(caller + name)), ("server", .string(server)), ("tool", .string(tool)),
        ]
        if let account, !account.isEmpty { members.append(("account", .string(account))) }
        let input = JSONValue.object(members + [("arguments", arguments)])
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("hook_event_name", "PermissionRequest")
        writer.field("session_id", place.session)
        writer.field("tool_name", "\(server).\(tool)")
        writer.field("tool_use_id", id)
        writer.field("tool_input", input)
        writer.endObject()
        return writer.bytes
    }
}

extension APIError {
    fileprivate static let approvalExpired = APIError(
        .permission,
        status: 403,
        code: "approval_expired",
        message: "Nobody approved the call in time. The tool did not run."
    )
}
