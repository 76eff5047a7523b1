/// An error in preferences that a client sent. Sending them again does not help. Safe to print: contains no value.
struct PreferencesError: Error, Sendable, Equatable {
    enum Fault: Sendable, Equatable {
        case notJSON
        case unknownField
        /// The requirement, as text that follows "must be".
        case mustBe(String)
    }

    /// The path of the field, `kinds.permission.level`, or empty for the whole object.
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
