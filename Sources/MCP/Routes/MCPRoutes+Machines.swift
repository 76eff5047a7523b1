internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Calls of the tools of machines' MCP servers.
extension MCPRoutes {
    /// Whether the caller may run tools of MCP servers here.
    func runsTools(_ principal: Principal, only: [String]?) -> Bool {
        machines.mayRun(principal) && only?.contains { $0.contains(".") } ?? true
    }

    /// The tools of machines that the caller may run, as JSON.
    func machineTools(_ principal: Principal, only: [String]?) async throws(APIError) -> [[UInt8]] {
        guard runsTools(principal, only: only) else { return [] }
        return MachineToolArguments.json + (try await machines.list(for: principal, only: only))
    }

    /// Answers a call of `search_tools`, of `call_tool`, or of a tool by its listed name. Returns `nil` if the caller
    /// has no tool of that name.
    func callMachine(
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal,
        only: [String]?
    ) async throws(APIError) -> HTTPResponse? {
        guard runsTools(principal, only: only) else { return nil }
        var asked: MachineToolCall
        switch call.name {
        case MachineToolArguments.searchName:
            var search = try MachineToolArguments.search(call.arguments)
            search.only = only
            let found = try await machines.search(search, for: principal)
            return .json(answers.output(message.reply, ToolOutput(found)))
        case MachineToolArguments.callName: asked = try MachineToolArguments.call(call.arguments)
        default: asked = MachineToolCall(listed: call.name, call.arguments)
        }
        asked.only = only
        asked.nearSession = try AskedCall.session(request.http.headers)
        asked.toolUseID = call.toolUseID.flatMap { AskedCall.isID($0) ? $0 : nil }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let place = try waiting.take(for: principal.auditName)
        guard let id = try await machines.begin(asked, request.caller) else { return nil }
        let held = HeldToolCall(
            call: id,
            caller: principal.auditName,
            reply: message.reply,
            progressToken: call.progressToken
        )
        return waiter(for: held, principal, place).response
    }

    /// The rest of the stream of a call, for its caller alone.
    func resume(
        _ held: HeldToolCall,
        _ request: RouteRequest,
        _ principal: Principal
    ) async throws(APIError) -> HTTPResponse {
        guard held.caller == principal.auditName else { throw .methodNotAllowed([.post]) }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let place = try waiting.take(for: principal.auditName)
        await machines.returned(held.call)
        return waiter(for: held, principal, place).response
    }

    func waiter(for held: HeldToolCall, _ principal: Principal, _ place: WaitingCalls.Place) -> HeldWaiter {
        HeldWaiter(
            answers: answers,
            reply: held.reply,
            progressToken: held.progressToken,
            eventID: asking.seal(held.bytes),
            output: { [machines] in
                do throws(APIError) {
                    return try await machines.result(of: held.call, for: held.caller).map(ToolOutput.init(result:))
                } catch {
                    return ToolOutput(error)
                }
            },
            news: { [machines] in machines.isRunning(held.call) ? "The tool runs." : "A person is asked." },
            left: { [machines] in machines.left(held.call) },
            isAdmitted: { [machines, current = reader.ports.current] in
                current(principal).map(machines.mayRun) ?? false
            },
            place: place
        )
    }
}
