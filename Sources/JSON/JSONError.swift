/// Why the parser rejected a text. Safe to show, because it contains no part of the text. Parsing the same text again
/// helps only after `outOfMemory`.
public enum JSONError: Error, Sendable, Equatable {
    case empty
    case malformed
    /// A number that RFC 8259 section 6 does not allow.
    case badNumber
    /// An escape in a string that RFC 8259 section 7 does not allow.
    case badString
    case tooDeep(limit: Int)
    case outOfMemory
    /// `withDocument` was called on a parser inside its own `withDocument`.
    case parserInUse
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "there is no JSON value"
        case .malformed: "the text is not one JSON value"
        case .badNumber: "a number is malformed"
        case .badString: "a string holds an escape that JSON does not have"
        case .tooDeep(let limit): "the value is nested deeper than \(limit) levels"
        case .outOfMemory: "there is not enough memory for the value"
        case .parserInUse: "the parser is still reading another value"
        }
    }
}
