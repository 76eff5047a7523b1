public import EventModel

/// The two clocks of the push thread.
public struct PushClock: Sendable {
    /// What provider tokens and deadlines are told in.
    public let wall: @Sendable () -> Timestamp
    /// Seconds from any fixed point, never going back: what waits are measured with.
    public let monotonic: @Sendable () -> Double

    public init(wall: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Double) {
        self.wall = wall
        self.monotonic = monotonic
    }
}
