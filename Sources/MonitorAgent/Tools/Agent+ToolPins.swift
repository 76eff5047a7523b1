internal import ClaudeRunner
internal import Host
internal import JSON
internal import Masking

/// Compares tools with the definitions by which callers know them.
extension Agent {
    /// Seconds for a server to answer: it may have to be installed first.
    private static let serverSeconds = 25.0

    /// Throws unless the session has the tool, under a name that no other has, and the tool's server defines it as the
    /// caller knows it.
    func require(
        _ request: AgentCommand.AskTool,
        in directory: String,
        _ check: CommandCheck,
        of status: JSONValue
    ) async throws {
        let server = try ConfiguredServer.one(of: request, in: status)
        guard let digest = request.digest else { return }
        var known = listedTools.fresh(of: server, in: directory, now: now)
        if known == nil {
            switch serverPlace(directory, check).plan(for: server) {
            case .leave(let state, let reason):
                let why = reason ?? state
                throw CommandRefusal(.toolChanged, "What the tool does cannot be checked: its server is \(why).")
            case .start(let start):
                let list = try await Agent.list(start)
                listedTools.note(list.tools, of: server, in: directory, now: now)
                known = ListedTools.digests(list.tools)
            }
        }
        guard let present = known?[request.tool] else {
            throw CommandRefusal(.toolNotFound, "The server \(request.server) has no tool \(request.tool).")
        }
        guard present == digest else {
            throw CommandRefusal(
                .toolChanged,
                "The server defines the tool otherwise now. A person has to accept that."
            )
        }
    }

    private static func list(_ start: ToolServerStart) async throws -> ToolList {
        do throws(ToolServerFault) {
            return try await start.list(seconds: serverSeconds, clock: SystemClock.monotonicSeconds)
        } catch {
            let reason = SecretMasker.masked(error.message)
            throw CommandRefusal(.serverFailed, "The tool's server does not tell its tools: \(reason).")
        }
    }
}
