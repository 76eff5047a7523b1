package import EventModel
internal import Glibc

package enum SystemClock {
    /// The wall clock.
    package static func now() -> Timestamp { read(CLOCK_REALTIME) }

    /// A clock for deadlines and durations. It starts at the wall clock's time, does not jump with it, and includes
    /// suspension.
    package static func makeSteady() -> @Sendable () -> Timestamp {
        let wall = now()
        let start = read(CLOCK_BOOTTIME)
        return { wall.adding(microseconds: read(CLOCK_BOOTTIME).microseconds - start.microseconds) }
    }

    private static func read(_ clock: clockid_t) -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Seconds since a fixed point. Monotonic.
    package static func monotonicSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension Timestamp {
    fileprivate func adding(microseconds more: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds &+ more)
    }
}
