internal import EventModel
internal import Glibc

enum SystemClock {
    /// The wall clock.
    static func now() -> Timestamp { read(CLOCK_REALTIME) }

    /// For deadlines and durations: begins as the wall clock and does not jump with it. It counts a suspension.
    static func makeSteady() -> @Sendable () -> Timestamp {
        let wall = now()
        let start = read(CLOCK_BOOTTIME)
        return { wall.adding(microseconds: read(CLOCK_BOOTTIME).microseconds - start.microseconds) }
    }

    private static func read(_ clock: clockid_t) -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Seconds from some fixed point; never goes back.
    static func monotonicSeconds() -> Double {
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
