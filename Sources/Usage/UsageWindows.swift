package import EventModel

/// The usage in the current five-hour window and in the last seven days.
package struct UsageWindows: Sendable {
    /// A span of time and the sum of its requests.
    package struct Window: Sendable {
        /// `nil` if no window is open.
        package var span: Range<Timestamp>?
        package var sum: UsageSum

        package init(span: Range<Timestamp>?, sum: UsageSum) {
            self.span = span
            self.sum = sum
        }
    }

    package var at: Timestamp
    package var fiveHours: Window
    package var sevenDays: Window

    package init(at: Timestamp, fiveHours: Window, sevenDays: Window) {
        self.at = at
        self.fiveHours = fiveHours
        self.sevenDays = sevenDays
    }

    static let fiveHourSeconds = 5.0 * 3600
    static let weekSeconds = 7.0 * 86_400

    /// The window that is open at a time. The latest window began at `start` and may be over.
    static func openWindow(beganAt start: Timestamp?, at now: Timestamp) -> Range<Timestamp>? {
        guard let start else { return nil }
        let end = start.adding(seconds: fiveHourSeconds)
        return now < end ? start..<end : nil
    }
}
