internal import EventModel

/// A time of day, on all or some days, without disturbance. In the device's local time.
struct QuietHours: Sendable, Equatable {
    enum Delivery: String, Sendable, Hashable, CaseIterable {
        /// Notices are sent without sound or light.
        case silent
        /// Notices are counted, and summarized in one notification when the quiet hours end.
        case digest
        case none
    }

    /// 0 is Monday.
    typealias Weekday = Int

    static let minutesOfDay = 24 * 60

    /// Minutes since midnight, 0 to 1439. An end not after the start is on the next day.
    var start: Int
    var end: Int
    /// The days on which the quiet hours start. Empty means every day.
    var days: Set<Weekday> = []
    var delivery = Delivery.silent
    /// Prompts for permission are sent as at any other time.
    var permissionPierces = true

    /// - Parameter utcOffset: offset of the device's clock from UTC at `time`, in seconds.
    /// - Returns: the end of the quiet hours that contain `time`. It is off by the difference if the offset changes
    ///   before the end.
    func end(at time: Timestamp, utcOffset: Int) -> Timestamp? {
        let local = time.adding(seconds: Double(utcOffset)).microseconds
        let minute = Int(local.modulus(86_400_000_000) / 60_000_000)
        let today = QuietHours.weekday(ofDay: (local - local.modulus(86_400_000_000)) / 86_400_000_000)
        let length = end > start ? end - start : end + QuietHours.minutesOfDay - start
        // Started today, or yesterday and not over yet.
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
    /// The non-negative modulus.
    fileprivate func modulus(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
