import Foundation

/// Formats the server's RFC 3339 times for people.
enum Moments {
    static func parse(_ text: String?) -> Date? {
        guard let text else { return nil }
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? fractional.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    /// `5s`, `12m`, `3h`, `9d` ago; `-` without a time.
    static func age(of text: String?, now: Date) -> String {
        guard let date = parse(text) else { return "-" }
        let seconds = Int(max(0, now.timeIntervalSince(date)))
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m"
        case ..<86_400: return "\(seconds / 3600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    /// The offset of a clock as text. A clock that is ahead has a plus sign: `+0.2s`, `-90s`, `+3h`.
    static func offset(seconds: Double) -> String {
        let sign = seconds < 0 ? "-" : "+"
        let size = abs(seconds)
        switch size {
        case ..<10: return sign + String(format: "%.1fs", size)
        case ..<120: return sign + String(format: "%.0fs", size)
        case ..<7200: return sign + String(format: "%.0fm", size / 60)
        case ..<172_800: return sign + String(format: "%.0fh", size / 3600)
        default: return sign + String(format: "%.0fd", size / 86_400)
        }
    }

    /// Local time of day.
    static func clock(_ text: String?, zone: TimeZone = .current) -> String {
        guard let date = parse(text) else { return "--:--:--" }
        let seconds = Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)
        let ofDay = ((seconds % 86_400) + 86_400) % 86_400
        return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
