internal import EventModel
internal import Persistence

/// The decisions what is to be pushed. They have effects: what is raised is sent. So it is never rebuilt: in a log of
/// another epoch it goes on at the end.
final class NotificationProjection: Projection {
    static let name = "push"
    private static let pageEvents = 500

    let name: String = NotificationProjection.name
    let version: Int64 = 1
    /// Events that come in a burst are judged together.
    let pacing: ProjectionPacing = ProjectionPacing(delayMilliseconds: 200, restFactor: 0)
    let foldsEvents = false

    /// The wall clock.
    private let clock: @Sendable () -> Timestamp
    private let onDetected: @Sendable (DetectionOutcome) -> Void

    /// - Parameter onDetected: called on the projector's thread after each page's commit; it must not block.
    init(clock: @escaping @Sendable () -> Timestamp, onDetected: @escaping @Sendable (DetectionOutcome) -> Void) {
        self.clock = clock
        self.onDetected = onDetected
    }

    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {}
    func forget() {}

    /// Judges the next page.
    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        let transaction = DetectionTransaction(
            connection: connection,
            now: clock(),
            pageEvents: NotificationProjection.pageEvents
        )
        onDetected(try transaction.run { $0.detect() })
        return try ProjectionPlace.read(name, on: connection).cursor
    }
}
