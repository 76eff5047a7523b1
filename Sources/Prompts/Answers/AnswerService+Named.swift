package import API
internal import EventModel
package import HTTPModel
package import JSON
internal import Persistence
package import Sessions

/// Answers to prompts that a client identifies in ways other than by their ids.
extension AnswerService {
    /// - Parameter name: the prompt's id, or Claude's id of its call. An answer to a prompt that is closed is kept.
    package func answer(
        named name: String,
        _ json: JSONValue,
        by responder: Responder
    ) async throws(APIError) -> PromptRecord {
        let named = try await environment.database.use { store throws(PersistenceError) in
            try await store.prompt(named: name)
        }
        return try await answer(named?.prompt.id ?? name, json, by: responder)
    }

    /// Performs an action of a push. It needs no other credential.
    ///
    /// - Parameter id: the prompt, as the client knows it.
    package func act(on id: String, with capability: String) async throws(APIError) -> PromptRecord {
        guard let redeemed = environment.redeem(capability), redeemed.promptID == id else {
            throw APIError(
                .permission,
                status: 403,
                code: "invalid_capability",
                message: "The capability is not one of this prompt, has expired, or its device was revoked."
            )
        }
        if redeemed.decision == .allow, let record = try await reader.record(id), record.prompt.state == .open {
            // A push shows nothing but the prompt's detail.
            guard record.prompt.isDetailComplete else { throw .notShown }
        }
        let body = JSONValue.object([
            ("answer_id", .string(redeemed.answerID)), ("decision", .string(redeemed.decision.rawValue)),
        ])
        return try await answer(id, body, by: Responder(redeemed.principal))
    }

    /// Answers the oldest open permission or question of a session.
    ///
    /// - Parameter text: for a permission `yes` or `no`; for a question its answer.
    package func answerOldest(
        of sessionID: String,
        isQuestion: Bool,
        with text: String,
        by responder: Responder
    ) async throws(APIError) {
        let session = try await environment.database.use { store throws(PersistenceError) in
            try await store.session(id: sessionID)
        }
        guard session != nil else { throw .sessionNotFound }
        let records = try await openPrompts(of: sessionID, isQuestion ? [.question] : [.permission, .plan])
        guard let oldest = records.last(where: \.isAnswerable) ?? records.last else { throw .nothingAsked }
        _ = try await answer(oldest.prompt.id, try body(of: oldest, isQuestion: isQuestion, text), by: responder)
    }

    /// Answers a prompt as `answerOldest` does.
    ///
    /// - Parameters:
    ///   - name: the prompt's id, or Claude's id of its call.
    ///   - isRefusal: denies, and the text says why.
    package func answer(
        named name: String,
        with text: String,
        isRefusal: Bool,
        by responder: Responder
    ) async throws(APIError) {
        let named = try await environment.database.use { store throws(PersistenceError) in
            try await store.prompt(named: name)
        }
        guard let named, let record = try await reader.record(named.prompt.id) else { throw .nothingAsked }
        let refusal = JSONValue.object([("decision", .string("deny")), ("message", .string(text))])
        let isQuestion = record.prompt.kind == .question
        let body = isRefusal ? refusal : try body(of: record, isQuestion: isQuestion, text)
        _ = try await answer(record.prompt.id, body, by: responder)
    }

    /// Refuses the newest prompt of a session, and ends the turn that asked.
    ///
    /// - Returns: false if no prompt of the session can be answered.
    package func refuseNewest(of sessionID: String, by responder: Responder) async throws(APIError) -> Bool {
        let kinds: Set<Prompt.Kind> = [.permission, .plan, .question, .elicitation]
        guard let asked = try await openPrompts(of: sessionID, kinds).last(where: \.isAnswerable) else { return false }
        let body: [(String, JSONValue)] =
            asked.prompt.kind == .elicitation
            ? [("action", .string("cancel"))] : [("decision", .string("deny")), ("interrupt", .bool(true))]
        _ = try await answer(asked.prompt.id, .object(body), by: responder)
        return true
    }

    /// The open prompts of these kinds, with their contents, the newest first.
    private func openPrompts(of sessionID: String, _ kinds: Set<Prompt.Kind>) async throws(APIError) -> [PromptRecord] {
        var query = PromptQuery(limit: 200)
        (query.state, query.sessionID) = (.open, sessionID)
        let wanted = query
        let page = try await environment.database.use { store throws(PersistenceError) in
            try await store.prompts(wanted)
        }
        return await reader.completed(
            page.prompts.filter { kinds.contains($0.prompt.kind) && $0.prompt.source != .idle }
        )
    }

    private func body(of record: PromptRecord, isQuestion: Bool, _ text: String) throws(APIError) -> JSONValue {
        guard isQuestion else {
            switch text.lowercased() {
            case "yes", "y", "allow", "allow_once": return .object([("decision", .string("allow"))])
            case "allow_session":
                return .object([("decision", .string("allow")), ("scope", .string("session"))])
            case "no", "n", "deny": return .object([("decision", .string("deny"))])
            default: return .object([("decision", .string("deny")), ("message", .string(text))])
            }
        }
        let questions = record.content?.questions.flatMap { try? JSONValue.parse($0) }?.array ?? []
        guard questions.count == 1, let question = questions[0]["question"]?.string else {
            throw .unfit("The session asks several questions: POST /v1/prompts/{id}/answer.", "response")
        }
        return .object([("answers", .object([(question, .string(text))]))])
    }
}

extension APIError {
    fileprivate static let nothingAsked = APIError.notFound(
        "prompt_not_found",
        "The session asks nothing of that kind."
    )
}
