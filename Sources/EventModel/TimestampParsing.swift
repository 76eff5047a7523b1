extension Timestamp {
    /// Parses RFC 3339 (`2026-01-05T10:00:00.123Z`, `2026-01-05 10:00:00+01:00`). Digits beyond microseconds are
    /// dropped.
    ///
    /// Accepts the years 1970 to 9999; a leap second counts as the following second. Returns `nil` for anything else.
    public init?(rfc3339 text: String) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(width: 4), scanner.skip("-"), let month = scanner.number(width: 2),
            scanner.skip("-"), let day = scanner.number(width: 2), scanner.skip("Tt "),
            let hour = scanner.number(width: 2), scanner.skip(":"), let minute = scanner.number(width: 2),
            scanner.skip(":"), let second = scanner.number(width: 2),
            let fraction = scanner.fractionInMicroseconds(), let offset = scanner.offsetInSeconds(),
            scanner.isAtEnd, year >= 1970, (1...12).contains(month),
            (1...CivilDate.daysInMonth(month, year: year)).contains(day),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let days = CivilDate.days(year: year, month: month, day: day)
        let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }
}

private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(width: Int) -> Int64? {
        guard rest.count >= width else { return nil }
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func skip(_ choices: String) -> Bool {
        guard let byte = rest.first, choices.utf8.contains(byte) else { return false }
        rest.removeFirst()
        return true
    }

    /// An absent fraction is zero; a dot without digits is an error.
    mutating func fractionInMicroseconds() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = nextDigit() else { return nil }
        var digits = 1
        while let digit = nextDigit() {
            if digits < 6 { value = value * 10 + digit }
            digits += 1
        }
        for _ in digits..<max(digits, 6) { value *= 10 }
        return value
    }

    mutating func offsetInSeconds() -> Int64? {
        if skip("Zz") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard skip("+-"), let hours = number(width: 2), skip(":"), let minutes = number(width: 2),
            hours <= 23, minutes <= 59
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
    }

    private mutating func nextDigit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }
}
