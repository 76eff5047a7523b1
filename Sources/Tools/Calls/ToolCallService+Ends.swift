internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// How a call ended, as it is told to its caller.
struct ToolCallEnd: Sendable {
    var call: ToolCall
    /// An object with `content`, `structuredContent` and `isError`; `nil` if there is an error.
    var result: JSONValue?
    var error: APIError?

    init(_ call: ToolCall, _ outcome: ToolCallOutcome) {
        (self.call, result, error) = (call, outcome.result, outcome.error)
    }

    /// What is stored of a call; `nil` if it has not ended.
    init?(stored call: ToolCall) {
        guard call.endedAt != nil else { return nil }
        self.call = call
        guard call.state == .completed else {
            error = APIError(
                call.state == .unknown ? .internalError : .permission,
                status: call.status.map { Int(clamping: $0) } ?? 502,
                code: call.code ?? call.state.rawValue,
                message: call.message ?? "The call has no result."
            )
            return
        }
        result = call.storedResult
        if result == nil { error = ToolCallRefusal.resultGone }
    }
}

extension ToolCall {
    var storedResult: JSONValue? { result.flatMap { try? JSONValue.parse($0, maxDepth: 128) } }
}

/// Waits for calls that another request has begun, on this server or on another one.
extension ToolCallService {
    /// Seconds between two looks at a call for which another server cares.
    private static let pause = 1.0

    /// Returns `nil` if the call has not ended after this time, or if the task is cancelled.
    func end(of id: String, within seconds: Double) async throws(APIError) -> ToolCallEnd? {
        let until = clock().adding(seconds: seconds)
        var known: ToolCall?
        while !Task.isCancelled {
            let left = until.seconds(since: clock())
            do throws(APIError) {
                let call = try await call(id)
                if let end = ToolCallEnd(stored: call) { return end }
                known = call
            } catch {
                // The database may be back before the time is over.
                guard error.status == 503, left > 0 else { throw error }
            }
            if let known, let outcome = await open.outcome(of: id, seconds: max(0, left), begin: {}) {
                return ToolCallEnd((try? await call(id)) ?? known, outcome)
            }
            guard left > 0 else { return nil }
            try? await Task.sleep(for: .seconds(min(left, ToolCallService.pause)))
        }
        return nil
    }

    /// The caller's call with an idempotency key. Throws if it was another request.
    func earlier(_ key: ToolCall.Key, of caller: String) async throws(APIError) -> ToolCall? {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.toolCall(of: caller, key: key.text)
        }
        guard let found else { return nil }
        guard found.digest == key.digest else { throw .idempotencyKeyReused }
        return found.call
    }
}
