internal import HTTPModel

/// What callers look for: the token of a connection, later than the one that was refused.
struct TokenWish: Sendable, Hashable {
    let key: ConnectionKey
    /// Where the token is to be sent. The server's address may change while another caller waits.
    let location: String
    /// The generation of the refused token; `nil` if none was refused.
    let refused: Int64?
}

/// Lets all callers that need the token of a connection at the same time wait for one look.
actor TokenFlights {
    typealias Outcome = Result<BearerToken?, APIError>

    private var running: [TokenWish: Task<Outcome, Never>] = [:]

    init() {}

    /// Joins a run of the same wish, or begins one. A caller that is cancelled does not end it.
    func run(_ wish: TokenWish, _ body: @escaping @Sendable () async -> Outcome) async -> Outcome {
        if let task = running[wish] { return await task.value }
        let task = Task { await body() }
        running[wish] = task
        let outcome = await task.value
        running[wish] = nil
        return outcome
    }
}
