internal import EventModel
internal import Persistence

/// Decides which pushes to send. Its decisions have side effects, so it is never rebuilt. In a log of another epoch
/// it continues at the end.
final class NotificationProjection: Projection {
    static let name = "push"
    private static let pageEvents = 500

    let name: String = NotificationProjection.name
    let version: Int64 = 1
    /// Processes the events of a burst together.
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

    /// Processes the next page.
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
