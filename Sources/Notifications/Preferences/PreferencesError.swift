/// What is wrong with preferences that somebody sent. Sending the same again does not help. Safe to print: no value is
/// in it.
struct PreferencesError: Error, Sendable, Equatable {
    enum Fault: Sendable, Equatable {
        case notJSON
        case unknownField
        /// What it must be, in words that follow "must be".
        case mustBe(String)
    }

    /// The path of the field, `kinds.permission.level`; empty for the whole.
    var field: String
    var fault: Fault
}

extension PreferencesError: CustomStringConvertible {
    var description: String {
        switch fault {
        case .notJSON: "the preferences are not a JSON object"
        case .unknownField: "\(field) is not a preference"
        case .mustBe(let what): "\(field) must be \(what)"
        }
    }
}
