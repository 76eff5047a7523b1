/// A point in time: microseconds since 1970-01-01T00:00:00Z, the resolution of PostgreSQL's `timestamptz`.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Before every other point in time.
    public static let distantPast = Timestamp(microseconds: .min)

    public var microseconds: Int64

    /// The start of the day (UTC).
    public var midnight: Timestamp {
        let day: Int64 = 86_400_000_000
        return Timestamp(microseconds: microseconds - (microseconds % day + day) % day)
    }

    package static let quarterSeconds = 900.0

    /// The start of the quarter of an hour. In every time zone, a day begins at such a time.
    package var quarter: Timestamp {
        let quarter: Int64 = 900_000_000
        return Timestamp(microseconds: microseconds - (microseconds % quarter + quarter) % quarter)
    }

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the first or the last point in time if the sum lies outside the range, because machines and push
    /// services may report any duration. A value that is not a number adds nothing.
    public func adding(seconds: Double) -> Timestamp {
        let distance = (seconds * 1_000_000).rounded(.towardZero)
        guard !distance.isNaN else { return self }
        let bound = Timestamp(microseconds: distance < 0 ? .min : .max)
        guard let distance = Int64(exactly: distance) else { return bound }
        let (sum, overflow) = microseconds.addingReportingOverflow(distance)
        return overflow ? bound : Timestamp(microseconds: sum)
    }

    /// Seconds from `earlier` to this point.
    public func seconds(since earlier: Timestamp) -> Double {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
        let exact = overflow ? Double(microseconds) - Double(earlier.microseconds) : Double(difference)
        return exact / 1_000_000
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds, `2026-01-05T10:00:00.123Z`. Strict clients drop timestamps without a
    /// fraction.
    public var description: String {
        let milliseconds = microseconds.floorDivided(by: 1000)
        let (seconds, millisecond) = milliseconds.quotientAndModulus(dividingBy: 1000)
        let (days, secondOfDay) = seconds.quotientAndModulus(dividingBy: 86400)
        let (year, month, day) = CivilDate.fromDays(days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        text.append(decimal: year, width: 4)
        text.append(UInt8(ascii: "-"))
        text.append(decimal: month, width: 2)
        text.append(UInt8(ascii: "-"))
        text.append(decimal: day, width: 2)
        text.append(UInt8(ascii: "T"))
        text.append(decimal: secondOfDay / 3600, width: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: secondOfDay / 60 % 60, width: 2)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: secondOfDay % 60, width: 2)
        text.append(UInt8(ascii: "."))
        text.append(decimal: millisecond, width: 3)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

/// Converts days to civil dates in the proleptic Gregorian calendar, after Howard Hinnant, "chrono-Compatible Low-Level
/// Date Algorithms".
enum CivilDate {
    static func fromDays(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndModulus(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// Days since 1970-01-01.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.quotientAndModulus(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        default: 31
        }
    }
}

extension Int64 {
    /// Euclidean division: the modulus is never negative.
    func quotientAndModulus(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    func floorDivided(by divisor: Int64) -> Int64 { quotientAndModulus(dividingBy: divisor).0 }
}

extension [UInt8] {
    fileprivate mutating func append(decimal value: Int64, width: Int) {
        let digits = String(value).utf8
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(0, width - digits.count)))
        append(contentsOf: digits)
    }
}
