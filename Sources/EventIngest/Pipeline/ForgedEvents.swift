internal import EventModel
internal import Persistence

/// Events of the spool that a sender made although only the server may. Requests with such events are refused, so a
/// spool has them only from a server that did not check all names.
enum ForgedEvents {
    typealias Completion = @Sendable ([AppendOutcome]) -> Void

    private static let outcome = AppendOutcome.rejected(
        PersistenceError(.malformedReply, "the event has a type of the server's own events")
    )

    /// Passes the other events on. The completion gets an outcome for each event, in order.
    ///
    /// - Returns: what `append` returns. If no event is left, the completion is called at once.
    static func withhold(
        from events: [MonitorEvent],
        _ completion: @escaping Completion,
        append: ([MonitorEvent], @escaping Completion) -> Bool
    ) -> Bool {
        let isForged = events.map(\.isForged)
        guard isForged.contains(true) else { return append(events, completion) }
        let rest = zip(events, isForged).filter { !$0.1 }.map(\.0)
        let merged: Completion = { outcomes in
            var settled = outcomes[...]
            completion(isForged.map { $0 ? outcome : settled.popFirst() ?? .unavailable(retryAfter: 2) })
        }
        guard !rest.isEmpty else {
            merged([])
            return true
        }
        return append(rest, merged)
    }
}
