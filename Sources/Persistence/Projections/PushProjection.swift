public import EventModel

/// Judges the log for pushes, on behalf of the projection.
public struct PushPageJudge: Sendable {
    /// The wall clock.
    let clock: @Sendable () -> Timestamp
    let judge: @Sendable (PushPage) -> PushJudgement
    let onEvaluated: @Sendable (PushEvaluation) -> Void

    /// - Parameters:
    ///   - judge: may be called twice for one page, and must give the same both times.
    ///   - onEvaluated: called on the projector's thread after each page's commit; it must not block.
    public init(
        clock: @escaping @Sendable () -> Timestamp,
        judge: @escaping @Sendable (PushPage) -> PushJudgement,
        onEvaluated: @escaping @Sendable (PushEvaluation) -> Void
    ) {
        self.clock = clock
        self.judge = judge
        self.onEvaluated = onEvaluated
    }
}

/// The decisions what is to be pushed. They have effects: what is raised is sent. So it is never rebuilt: in a log of
/// another epoch it goes on at the end.
final class PushProjection: Projection {
    static let name = "push"
    private static let pageEvents = 500

    let name: String = PushProjection.name
    let version: Int64 = 1
    /// Events that come in a burst are judged together.
    let pacing: ProjectionPacing = ProjectionPacing(delayMilliseconds: 200, restFactor: 0)
    let foldsEvents = false

    private let judge: PushPageJudge

    init(_ judge: PushPageJudge) {
        self.judge = judge
    }

    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {}
    func forget() {}

    /// Judges the next page.
    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        let evaluator = PushEvaluator(connection: connection, now: judge.clock(), pageEvents: PushProjection.pageEvents)
        let outcome = try evaluator.run(judge.judge)
        judge.onEvaluated(outcome)
        return try ProjectionPlace.read(name, on: connection).cursor
    }
}
