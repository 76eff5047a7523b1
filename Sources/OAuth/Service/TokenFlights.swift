internal import HTTPModel

/// Lets all callers that need the token of a connection at the same time wait for one look.
actor TokenFlights {
    typealias Outcome = Result<BearerToken?, APIError>

    private var running: [ConnectionKey: Task<Outcome, Never>] = [:]

    init() {}

    /// Joins a run of the same connection, or begins one. A caller that is cancelled does not end it.
    func run(_ key: ConnectionKey, _ body: @escaping @Sendable () async -> Outcome) async -> Outcome {
        if let task = running[key] { return await task.value }
        let task = Task { await body() }
        running[key] = task
        let outcome = await task.value
        running[key] = nil
        return outcome
    }
}
