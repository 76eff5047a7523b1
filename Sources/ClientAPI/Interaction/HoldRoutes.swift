internal import EventModel
internal import HTTPModel
internal import Interaction
internal import Sessions

/// `DELETE /api/prompts/{hold}`: a hook waits no longer.
struct HoldRoutes: Sendable {
    let service: InteractionService

    private static let reason = QueryParameter.choice(
        "reason",
        ["released", "expired"],
        "Why, unless a person refused at the terminal: the hook waits no longer, or the machine's rule denied."
    )

    var routes: [Route] {
        [
            Route(.delete, "/api/prompts/{hold}", .post, handler: end).described {
                $0.saying("Ends the wait of a hook.", [HoldRoutes.reason]).answering(204, "application/json")
            }
        ]
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
        case "released": step = request.http.headers[HoldRequest.endHeader] == "refused" ? .refused : .released
        case "expired": step = .expired
        default: throw .invalid("invalid_parameter", "'reason' must be released or expired.", param: "reason")
        }
        await service.end(HoldKey(machine: grant.machine, id: id.description), step)
        return HTTPResponse(status: 204)
    }
}
