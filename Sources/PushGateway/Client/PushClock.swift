public import EventModel

/// The two clocks of the push thread.
public struct PushClock: Sendable {
    /// For provider tokens and deadlines.
    public let wall: @Sendable () -> Timestamp
    /// Seconds from any fixed point, never decreasing. For waits.
    public let monotonic: @Sendable () -> Double

    public init(wall: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Double) {
        self.wall = wall
        self.monotonic = monotonic
    }
}
