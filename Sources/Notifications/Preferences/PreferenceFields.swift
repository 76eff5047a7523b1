internal import EventModel
internal import JSON

/// Reads the members of one JSON object of preferences. Errors name the field.
struct PreferenceFields {
    private let members: [(String, JSONValue)]
    private let path: String

    init(_ json: JSONValue, path: String, or alternative: String? = nil) throws(PreferencesError) {
        guard case .object(let members) = json else {
            let what = "an object" + (alternative.map { " or " + $0 } ?? "")
            throw PreferencesError(field: path, fault: path.isEmpty ? .notJSON : .mustBe(what))
        }
        self.members = members
        self.path = path
    }

    /// Rejects members with any other name.
    func allow(_ names: [String]) throws(PreferencesError) {
        for (name, _) in members where !names.contains(name) {
            // The client chose the name, so only printable characters, at most as many as a field name can have, are
            // shown.
            let shown = String(decoding: name.utf8.prefix(40).filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
            throw PreferencesError(field: full(shown), fault: .unknownField)
        }
    }

    /// - Parameter alternative: another allowed type, for the error message.
    func object(_ name: String, or alternative: String? = nil) throws(PreferencesError) -> PreferenceFields? {
        guard let value = value(name) else { return nil }
        return try PreferenceFields(value, path: full(name), or: alternative)
    }

    func isFalse(_ name: String) -> Bool { value(name) == .bool(false) }

    func bool(_ name: String) throws(PreferencesError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw mustBe(name, "true or false") }
        return bool
    }

    func integer(
        _ name: String,
        _ bounds: ClosedRange<Int>,
        orZero: Bool = false
    ) throws(PreferencesError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.count, bounds.contains(number) || orZero && number == 0 else {
            let range = "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
            throw mustBe(name, orZero ? range + ", or 0" : range)
        }
        return number
    }

    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(PreferencesError) -> Word? where Word.RawValue == String {
        guard let value = value(name) else { return nil }
        guard let word = value.string.flatMap(Word.init(rawValue:)) else {
            throw mustBe(name, "one of " + Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    func time(_ name: String) throws(PreferencesError) -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard let time = value.string.flatMap(Timestamp.init(rfc3339:)) else {
            throw mustBe(name, "a time as in RFC 3339")
        }
        // Times are written with milliseconds.
        return Timestamp(microseconds: time.microseconds / 1000 * 1000)
    }

    /// Minutes since midnight.
    func timeOfDay(_ name: String) throws(PreferencesError) -> Int {
        let digits = Array((value(name)?.string ?? "").utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
            let hour = PreferenceFields.number(digits[0..<2], below: 24),
            let minute = PreferenceFields.number(digits[3..<5], below: 60)
        else { throw mustBe(name, "a time of day from \"00:00\" to \"23:59\"") }
        return hour * 60 + minute
    }

    func days(_ name: String, names: [String]) throws(PreferencesError) -> Set<Int> {
        guard let value = value(name) else { return [] }
        var days: Set<Int> = []
        for element in value.array ?? [.null] {
            guard let day = element.string.flatMap({ names.firstIndex(of: $0) }) else {
                throw mustBe(name, "an array of " + names.joined(separator: ", "))
            }
            days.insert(day)
        }
        return days
    }

    func amounts(_ name: String) throws(PreferencesError) -> [Double]? {
        guard let value = value(name) else { return nil }
        let bounds = PushPreferences.Bounds.costUSD
        let most = PushPreferences.Bounds.costThresholds
        let amounts = (value.array ?? [.null]).map { $0.double ?? .nan }
        guard amounts.count <= most, amounts.allSatisfy(bounds.contains) else {
            let range = "from \(bounds.lowerBound) to \(Int(bounds.upperBound))"
            throw mustBe(name, "an array of at most \(most) amounts \(range)")
        }
        return Set(amounts).sorted()
    }

    private func value(_ name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.0 == name })?.1, value != .null else { return nil }
        return value
    }

    private func full(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

    private func mustBe(_ name: String, _ what: String) -> PreferencesError {
        PreferencesError(field: full(name), fault: .mustBe(what))
    }

    private static func number(_ digits: ArraySlice<UInt8>, below limit: Int) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number < limit ? number : nil
    }
}
