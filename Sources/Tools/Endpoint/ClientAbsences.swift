internal import EventModel
internal import Persistence

/// Ends calls of `/mcp` whose clients stay away while a person is asked. May be used on any thread.
struct ClientAbsences: Sendable {
    /// Seconds in which a client whose connection is lost must come back.
    static let graceSeconds = 65.0
    /// Seconds until the next attempt, if the database is away when the time is over.
    private static let (attempts, pauseSeconds) = (60, 5.0)

    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp
    /// Returns after so many seconds.
    let pause: @Sendable (Double) async -> Void
    /// Withdraws the question from those who are asked.
    let withdraw: @Sendable (_ call: String) async -> Void

    /// A client has come back to wait for the call, here or at another server.
    func returned(to id: String) async {
        let now = clock()
        try? await database.use { store throws(PersistenceError) in
            try await store.noteWait(ofToolCall: id, at: now)
        }
    }

    /// The client's connection is lost. Returns once the client is back, or the call has ended.
    func left(_ id: String, at departure: Timestamp) async {
        await pause(ClientAbsences.graceSeconds)
        for _ in 0..<ClientAbsences.attempts {
            let now = clock()
            let isOver = try? await database.use { store throws(PersistenceError) in
                try await store.abandon(toolCall: id, since: departure, at: now)
            }
            if isOver == true { await withdraw(id) }
            guard isOver == nil else { return }
            await pause(ClientAbsences.pauseSeconds)
        }
    }
}
