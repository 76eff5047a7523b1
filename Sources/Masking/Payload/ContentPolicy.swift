/// How much of the text of people and tools is kept.
public enum ContentPolicy: String, Sendable, CaseIterable {
    /// The hook's object, with invalid text repaired and no other change.
    case full
    /// Long strings are cut, secrets are masked, and the size is at most `PayloadWriter.maxPayloadBytes`.
    case summary
    /// Like `summary`, without the members that contain prompts, tool inputs, outputs and messages.
    case none

    /// Returns the form in which a person's text is kept, or `nil` if it is not kept.
    public func kept(_ text: String) -> String? {
        switch self {
        case .full: SecretMasker.masked(text)
        case .summary: String(SecretMasker.masked(text).unicodeScalars.prefix(ContentPolicy.keptCharacters))
        case .none: nil
        }
    }

    private static let keptCharacters = 2000
}
