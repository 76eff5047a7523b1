/// What is wrong with preferences that somebody sent. Sending the same again does not help. Safe to print: no value is
/// in it.
public struct PreferencesError: Error, Sendable, Equatable {
    public enum Fault: Sendable, Equatable {
        case notJSON
        case unknownField
        /// What it must be, in words that follow "must be".
        case mustBe(String)
    }

    /// The path of the field, `kinds.permission.level`; empty for the whole.
    public var field: String
    public var fault: Fault

    public init(field: String, fault: Fault) {
        self.field = field
        self.fault = fault
    }
}

extension PreferencesError: CustomStringConvertible {
    public var description: String {
        switch fault {
        case .notJSON: "the preferences are not a JSON object"
        case .unknownField: "\(field) is not a preference"
        case .mustBe(let what): "\(field) must be \(what)"
        }
    }
}
