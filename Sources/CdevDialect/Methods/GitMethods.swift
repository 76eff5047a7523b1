package import EventModel
import GitInterface
package import JSON
import RPC

/// A call of a method of git in a workspace, with its caller.
package struct RPCGitCall: Sendable, Equatable {
    /// The owner of the WebSocket.
    package var principal: Principal
    /// Such as `workspace/git/status`.
    package var method: String
    package var verb: String
    package var workspaceID: String
    /// As the client sent them, checked.
    package var arguments: JSONValue
}

/// Git, on a machine whose agent is connected. Each method exists under `git/` and under `workspace/git/`.
enum GitMethods {
    static let all = ["git/", "workspace/git/"].flatMap { prefix in
        GitMethod.all.map { ask(prefix + $0.verb, $0) }
            + [GitMethod.named("get_status")].compactMap(\.self)
            .map { ask(prefix + "get_status", $0) }
    }

    private static func ask(_ name: String, _ method: GitMethod) -> CdevMethod {
        let workspace = RPCParameter.text("workspace_id", "The repository's workspace.").also("workspaceId")
        let description = RPCDescription(
            method.summary,
            [workspace] + method.parameters.map(parameter),
            as: method.answer,
            errors: [.agentNotConfigured, .notAllowed, .notARepository, .gitFailed, .gitConflict]
        )
        return CdevMethod.query(
            name,
            description,
            check: { params throws(RPCError) in try check(method, params) },
            run: { call async throws(RPCError) in
                guard let workspaceID = try call.params.first(of: "workspace_id", "workspaceId") else {
                    throw .agentNotConfigured(name)
                }
                let git = RPCGitCall(
                    principal: call.context.principal,
                    method: name,
                    verb: method.verb,
                    workspaceID: workspaceID,
                    arguments: call.params.object
                )
                let answer = try await call.services.git(git)
                return RPCAnswer(.object { $0.raw(answer) })
            }
        )
    }

    private static func check(_ method: GitMethod, _ params: RPCParams) throws(RPCError) {
        do throws(GitParameter.Fault) {
            _ = try method.arguments(params.object)
        } catch {
            throw .invalidParameter(error.name, error.problem)
        }
    }

    private static func parameter(_ parameter: GitParameter) -> RPCParameter {
        var made: RPCParameter
        switch parameter.kind {
        case .text(let most): made = .text(parameter.name, parameter.summary, limit: most)
        case .flag: made = .flag(parameter.name, parameter.summary)
        case .integer(let range): made = .integer(parameter.name, range, parameter.summary)
        case .texts(let most, let bytes):
            made = .texts(parameter.name, 1...most, parameter.summary, limit: bytes)
        }
        for alias in parameter.aliases { made = made.also(alias) }
        return parameter.isRequired ? made.required : made
    }
}
