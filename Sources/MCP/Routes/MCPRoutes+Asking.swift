internal import API
internal import EventModel
internal import HTTPModel

/// Calls that wait for a person.
extension MCPRoutes {
    /// Whether the caller is a machine that may ask for approvals: with a file of its own that limits them, as it says,
    /// or by grant.
    func mayApprove(_ principal: Principal, _ http: HTTPRequest) -> Bool {
        guard case .machine(let grant) = principal.holder else { return false }
        return ToldPolicy.standsForGrant(http.headers["x-hold-policy"]) || asking.mayApprove(grant)
    }

    /// The tools that ask a person, as JSON.
    func askingTools(_ principal: Principal, _ http: HTTPRequest, only: [String]?) -> [[UInt8]] {
        guard case .machine = principal.holder else { return [] }
        let all =
            [(AskPersonTool.name, AskPersonTool.json)]
            + (mayApprove(principal, http) ? [(ApproveTool.name, ApproveTool.json)] : [])
        return all.filter { only?.contains($0.0) ?? true }.map(\.1)
    }

    func approve(
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal
    ) async throws(APIError) -> HTTPResponse {
        guard case .machine(let grant) = principal.holder else { throw .machinesOnly }
        guard mayApprove(principal, request.http) else { throw .notGranted(grant) }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let asked = try AskedCall(call, request.http.headers, by: grant)
        let place = try waiting.take(for: principal.auditName)
        let held = HeldAnswer(try await asking.open(asked), message.reply, call.progressToken)
        return waiter(for: held, principal, grant, place).response
    }

    func ask(
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal
    ) async throws(APIError) -> HTTPResponse {
        guard case .machine(let grant) = principal.holder else { throw .machinesAskOnly }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let question = try PersonQuestion(call, request.http.headers, by: grant)
        let place = try questions.take(for: principal.auditName, waiting)
        let held = HeldAnswer(try await asking.open(question), message.reply, call.progressToken)
        return waiter(for: held, principal, grant, place).response
    }

    /// `GET /mcp` with the id of a stream that was cut.
    @Sendable func resume(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try MCPRoutes.checkOrigin(request.http)
        let held = request.http.headers["last-event-id"].flatMap(asking.unseal)
        if let principal = request.principal, let call = held.flatMap(HeldToolCall.init) {
            return try await resume(call, request, principal)
        }
        // Clients of older revisions ask for a stream of the server's own messages. There is none.
        guard let principal = request.principal, case .machine(let grant) = principal.holder,
            let held = held.flatMap(HeldAnswer.init), held.call.machine == grant.machine
        else { throw .methodNotAllowed([.post]) }
        guard isGranted(held.call, grant) else { throw .notGranted(grant) }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let caller = principal.auditName
        let place = try held.call.choices == nil ? waiting.take(for: caller) : questions.take(for: caller, waiting)
        return waiter(for: held, principal, grant, place).response
    }

    /// A question allows nothing, so it needs no grant.
    private func isGranted(_ call: OpenCall, _ grant: MachineGrant) -> Bool {
        call.choices != nil || ToldPolicy.standsForGrant(call.policy) || asking.mayApprove(grant)
    }

    private func waiter(
        for held: HeldAnswer,
        _ principal: Principal,
        _ grant: MachineGrant,
        _ place: WaitingCalls.Place
    ) -> HeldWaiter {
        let answer = asking.turn(held.call)
        return HeldWaiter(
            answers: answers,
            reply: held.reply,
            progressToken: held.progressToken,
            eventID: asking.seal(held.bytes),
            output: {
                let answer = await answer()
                return held.call.choices.map { AskPersonTool.output(answer, to: $0) } ?? ApproveTool.output(answer)
            },
            news: { "A person is asked." },
            left: { [asking] in asking.left(held.call) },
            isAdmitted: { [self, current = reader.ports.current] in
                current(principal) != nil && isGranted(held.call, grant)
            },
            place: place
        )
    }
}

extension APIError {
    /// Devices and the operator answer prompts, so they cannot ask for approvals: nobody approves a call of their own.
    fileprivate static let machinesOnly = APIError.insufficientScope(
        "Only a machine's key can ask for approvals. Devices and the operator answer them."
    )

    fileprivate static let machinesAskOnly = APIError.insufficientScope(
        "Only a machine's key can ask a person. Devices and the operator answer."
    )

    fileprivate static func notGranted(_ grant: MachineGrant) -> APIError {
        .insufficientScope(
            "No file of the machine limits what is approved this way, so the operator must allow it: "
                + "monitorctl key grant \(grant.keyID.map { String($0) } ?? "ID") approve"
        )
    }
}
