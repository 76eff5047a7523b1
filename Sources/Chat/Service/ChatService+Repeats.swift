internal import API
internal import EventModel
internal import HTTPModel
internal import Persistence

/// Repeats of requests, for which no turn runs again.
extension ChatService {
    /// Seconds for which a lost turn is looked for, when a client says that it repeats a request.
    private static let repeatSeconds = 900.0

    /// As OpenAI's answers have it.
    static func answerID(_ turn: String) -> String { "chatcmpl-" + turn.filter { $0 != "-" } }

    /// The turn of an earlier request that this one repeats.
    ///
    /// - Parameter isLostAtEnd: whether a turn whose answer is not known here counts as run although it has ended.
    func known(
        _ call: Call,
        _ place: ChatRuns.Place,
        _ request: ChatRequest,
        isLostAtEnd: Bool = false
    ) async throws(APIError) -> ChatRun? {
        if let key = call.idempotencyKey { return try await earlier(key, place, request) }
        if let run = runs.joinable(place, isRepeat: call.isRepeat) { return run }
        if call.isRepeat { try await refuseLost(place, isLostAtEnd) }
        return nil
    }

    /// A repeat with the same idempotency key: the turn that runs, or the answer that was kept.
    private func earlier(
        _ key: String,
        _ place: ChatRuns.Place,
        _ request: ChatRequest
    ) async throws(APIError) -> ChatRun? {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, idempotencyKey: key)
        }
        guard let row = found else { return nil }
        guard row.digest == place.digest else { throw APIError.idempotencyKeyReused }
        if let run = runs.joinable(place, isRepeat: true) { return run }
        guard let text = row.answer, let outcome = row.outcome, row.isFinished else { throw ChatRefusal.lost }
        var answer = ChatAnswer(
            id: ChatService.answerID(row.id),
            created: row.beganAt.microseconds / 1_000_000,
            model: row.model,
            includesUsage: request.includesUsage
        )
        answer.session = row.session
        let run = ChatRun(answer) {}
        run.add(text)
        run.finish(row.outcome(outcome))
        return run
    }

    /// The server was started anew, or another server has the turn: it must not run a second time.
    private func refuseLost(_ place: ChatRuns.Place, _ isLostAtEnd: Bool) async throws(APIError) {
        let since = clock().adding(seconds: -ChatService.repeatSeconds)
        let found = try await database.use { store throws(PersistenceError) in
            try await store.chatTurn(of: place.caller, digest: place.digest, since: since)
        }
        // A turn without tokens was refused before it ran.
        if let found, isLostAtEnd || !found.hasEnded || found.promptTokens != nil { throw ChatRefusal.lost }
    }
}

extension ChatTurnRow {
    fileprivate var session: ChatAnswerSession? {
        if let chatID { return ChatAnswerSession(chat: chatID) }
        return sessionID.map { ChatAnswerSession(id: $0, ofProject: projectID) }
    }

    fileprivate func outcome(_ word: String) -> ChatOutcome {
        var usage: ChatUsage?
        if let promptTokens, let completionTokens {
            usage = ChatUsage(RequestTokens(input: promptTokens, output: completionTokens), cost: cost)
        }
        return .finished(ChatResult(finishReason: word, model: model, usage: usage))
    }
}
