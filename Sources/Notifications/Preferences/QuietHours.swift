internal import EventModel

/// A time of day, each day or on some, in which a device is left in peace. In the device's own time.
struct QuietHours: Sendable, Equatable {
    enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// Told without sound or light.
        case silent
        /// Counted, and told in one notification when the quiet time ends.
        case digest
        case none
    }

    /// 0 is Monday.
    typealias Weekday = Int

    static let minutesOfDay = 24 * 60

    /// Minutes since midnight, 0 to 1439. An end that is not after the start is on the next day.
    var start: Int
    var end: Int
    /// The days on which the quiet time begins. Empty: every day.
    var days: Set<Weekday> = []
    var delivery = Delivery.silent
    /// Prompts for permission come through as on any other time.
    var permissionPierces = true

    /// - Parameter utcOffset: seconds that the device's clock is ahead of UTC at `time`.
    /// - Returns: the end of the quiet time that `time` lies in; off by the change where the offset changes before it.
    func end(at time: Timestamp, utcOffset: Int) -> Timestamp? {
        let local = time.adding(seconds: Double(utcOffset)).microseconds
        let minute = Int(local.modulus(86_400_000_000) / 60_000_000)
        let today = QuietHours.weekday(ofDay: (local - local.modulus(86_400_000_000)) / 86_400_000_000)
        let length = end > start ? end - start : end + QuietHours.minutesOfDay - start
        // Begun today, or yesterday and not over yet.
        for daysAgo in 0...1 {
            let elapsed = minute - start + daysAgo * QuietHours.minutesOfDay
            guard (0..<length).contains(elapsed), begins(on: (today + 7 - daysAgo) % 7) else { continue }
            let sinceMinute = local.modulus(60_000_000)
            let remaining = Int64(length - elapsed) * 60_000_000 - sinceMinute
            return Timestamp(microseconds: time.microseconds + remaining)
        }
        return nil
    }

    private func begins(on day: Weekday) -> Bool { days.isEmpty || days.contains(day) }

    /// 1970-01-01 was a Thursday.
    private static func weekday(ofDay day: Int64) -> Weekday { Int((day + 3).modulus(7)) }
}

extension Int64 {
    /// The modulus that is never negative.
    fileprivate func modulus(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
