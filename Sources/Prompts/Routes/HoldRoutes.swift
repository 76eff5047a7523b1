internal import API
internal import EventModel
internal import HTTPModel
internal import Sessions

/// `DELETE /api/prompts/{hold}`: a hook stops waiting.
struct HoldRoutes: Sendable {
    let service: HoldService

    private static let reason = QueryParameter.choice(
        "reason",
        ["released", "expired"],
        "Why, unless a person refused at the terminal: the hook waits no longer, or the machine's rule denied."
    )

    var routes: [Route] {
        [
            Route(.delete, "/api/prompts/{hold}", .post, handler: end).free(if: endsHold).described {
                $0.saying("Ends the wait of a hook.", [HoldRoutes.reason]).answering(204, "application/json")
            }
        ]
    }

    /// The end of a hold that waits here is always taken. There are at most as many as posts that opened them.
    @Sendable private func endsHold(_ request: RouteRequest) -> Bool {
        guard case .machine(let grant)? = request.principal?.holder,
            let id = request.parameters["hold"].flatMap(EventID.init)
        else { return false }
        return service.holds(HoldKey(machine: grant.machine, id: id.description))
    }

    @Sendable private func end(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard case .machine(let grant)? = request.principal?.holder else {
            throw .insufficientScope("Only the machine's own key can end a wait of its hooks.")
        }
        guard let id = request.parameters["hold"].flatMap(EventID.init) else {
            throw .invalid("invalid_hold", "The hold must be a UUID.", param: "hold")
        }
        let step: PromptUpdate.Step
        switch request.query["reason"] {
        case nil: step = .withdrawn
        case "released": step = PromptUpdate.Step(endOfHold: request.http.headers[HoldRequest.endHeader])
        case "expired": step = .expired
        default: throw .invalid("invalid_parameter", "'reason' must be released or expired.", param: "reason")
        }
        let event = request.http.headers[HoldRequest.eventHeader].flatMap(EventID.init)
        await service.end(HoldKey(machine: grant.machine, id: id.description), step, event: event)
        return HTTPResponse(status: 204)
    }
}

extension PromptUpdate.Step {
    /// - Parameter word: why a hook that printed nothing itself stops waiting.
    fileprivate init(endOfHold word: String?) {
        switch word {
        case "refused": self = .refused
        case "local": self = .dismissed
        case "gone": self = .gone
        default: self = .released
        }
    }
}
