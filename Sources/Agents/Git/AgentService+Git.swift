package import API
internal import EventModel
package import GitInterface
package import HTTPModel
package import JSON

/// Git on machines.
extension AgentService {
    /// Has the machine's agent carry out a method of git in a project's directory.
    ///
    /// - Parameter arguments: those of the client, an object. `command_id` makes a repeat harmless.
    package func git(
        _ method: GitMethod,
        _ arguments: JSONValue,
        inProject project: String,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        var id: String?
        if let named = arguments["command_id"], named != .null {
            guard let command = named.string.flatMap(EventID.init) else {
                throw .invalid("invalid_parameter", "'command_id' must be a UUID.", param: "command_id")
            }
            id = command.description
        }
        let place = try await place(ofProject: project)
        let checked: [(String, JSONValue)]
        do throws(GitParameter.Fault) {
            checked = try method.arguments(arguments)
        } catch {
            throw .invalid("invalid_parameter", "'\(error.name)' \(error.problem).", param: error.name)
        }
        if method.verb == "diff", let session = arguments["session"]?.string {
            return try await sessionDiff(ChangeRequest(ofDiff: arguments), of: session, at: place, by: responder)
        }
        let result: JSONValue
        do throws(APIError) {
            result = try await carryOut(
                "git/\(method.verb)",
                checked.map { ($0.0, $0.1 as JSONValue?) },
                at: place,
                with: method.need == .look ? .look : .change,
                id: id,
                seconds: method.seconds,
                by: responder
            )
            guard result.isObject else { throw AgentRefusal.malformed }
        } catch {
            track(error, of: project, on: place.machine)
            throw error
        }
        if method.verb == "status" {
            trackers.note(status: result, of: project, on: place.machine, now: steadyClock())
        } else if method.need != .look {
            trackers.forget(project)
        }
        return result
    }

    /// What an error says of the repository.
    func track(_ error: APIError, of project: String, on machine: MachineID) {
        let state: GitTracker.State
        switch error.code {
        case "not_a_git_repo": state = .notRepository
        case "git_timeout", "agent_failed": state = .unhealthy
        case "not_allowed_by_machine", "outside_roots", "git_unavailable": state = .unavailable
        default: return
        }
        trackers.note(state, error.message, of: project, on: machine, now: steadyClock())
    }
}
