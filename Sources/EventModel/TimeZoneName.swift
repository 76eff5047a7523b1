/// A text with the syntax of an IANA time zone name, such as `Asia/Kathmandu`. Only the database can check whether the
/// time zone exists.
///
/// The directory of time zones contains more than their names: copies of it with and without leap seconds, and files
/// for the system. Those are no names here.
package struct TimeZoneName: Sendable, Hashable {
    package static let utc = TimeZoneName(known: "UTC")

    package let text: String

    private init(known text: String) { self.text = text }

    /// Returns `nil` unless the text has at most 64 bytes, begins with a letter, and consists of letters, digits and
    /// `/_+-`, and for files of the directory of time zones that are no zones.
    package init?(_ text: String) {
        guard text.utf8.count <= 64, let first = text.utf8.first, TimeZoneName.isLetter(first),
            text.utf8.allSatisfy({ byte in
                TimeZoneName.isLetter(byte) || (48...57).contains(byte) || "/_+-".utf8.contains(byte)
            }),
            !text.hasPrefix("posix"), !text.hasPrefix("right/"), text != "localtime", text != "Factory"
        else { return nil }
        self.text = text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}

/// A calendar day of a time zone. It usually has 23, 24 or 25 hours.
package struct LocalDay: Sendable, Equatable {
    package var start: Timestamp
    /// The start of the next day.
    package var end: Timestamp
    /// Days from 1970-01-01 to the date.
    package var number: Int64
    /// `YYYY-MM-DD`.
    package var date: String

    package init(start: Timestamp, end: Timestamp, number: Int64, date: String) {
        (self.start, self.end, self.number, self.date) = (start, end, number, date)
    }

    /// A day in UTC, `later` days after the choice. `nil` if the choice is not a valid date.
    package init?(utc choice: Choice, later: Int64) {
        let time: Timestamp
        switch choice {
        case .date(let date):
            guard let start = Timestamp(rfc3339: date + "T00:00:00Z") else { return nil }
            time = start
        case .containing(let moment): time = moment
        }
        start = time.midnight.adding(seconds: 86_400 * Double(later))
        end = start.adding(seconds: 86_400)
        number = start.microseconds / 86_400_000_000
        date = String(start.description.prefix(10))
    }

    /// How a caller specifies a day.
    package enum Choice: Sendable, Equatable {
        /// A valid date, `YYYY-MM-DD`.
        case date(String)
        case containing(Timestamp)
    }
}
