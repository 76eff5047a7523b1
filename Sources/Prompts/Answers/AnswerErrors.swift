internal import HTTPModel
internal import Sessions

extension APIError {
    static let promptNotFound = APIError.notFound("prompt_not_found", "There is no prompt of that id.")

    static let notAnswerable = APIError(
        .conflict,
        status: 409,
        code: "not_answerable",
        message: "No hook waits for an answer to this prompt any more. Answer at the terminal."
    )

    static let waitsForMessage = APIError(
        .conflict,
        status: 409,
        code: "not_answerable",
        message: "The session waits for a message: POST /v1/sessions/{id}/input."
    )

    static let otherDevicesOnly = insufficientScope(
        "The machine's own rules let other devices answer this prompt, not this one."
    )

    static let ownCall = APIError(
        .permission,
        status: 403,
        code: "own_call",
        message: "Who asks for a call does not approve it. Another device or the operator decides."
    )

    static let mayNoLongerAnswer = insufficientScope("This device may no longer answer prompts of this machine.")

    /// The error for a prompt that was closed before the answer arrived.
    static func over(_ prompt: Prompt) -> APIError {
        guard prompt.state == .answered else {
            return APIError(
                .conflict,
                status: 410,
                code: "prompt_gone",
                message: "The session no longer waits for this: the prompt is \(prompt.state.rawValue)."
            )
        }
        let who = prompt.answer?.name ?? (prompt.answeredBy ?? .terminal).rawValue
        let what = prompt.decision.map { " (\($0.rawValue))" } ?? ""
        let when = prompt.closedAt.map { " at \($0)" } ?? ""
        return APIError(
            .conflict,
            status: 409,
            code: "already_answered",
            message: "The prompt was answered by \(who)\(what)\(when). Your answer was kept, and not applied."
        )
    }
}
