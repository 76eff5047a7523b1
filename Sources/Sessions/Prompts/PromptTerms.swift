/// What the machine's own file allows for a prompt while its hook waits.
public struct PromptTerms: Sendable, Equatable {
    /// What follows if nobody answers while the hook waits.
    public enum After: String, Sendable, CaseIterable {
        /// Claude Code goes on asking at the terminal. A run without a terminal denies.
        case ask
        case deny
    }

    /// An answer may add a permission rule that lasts beyond the session.
    public var allowsAlways = false
    /// An answer may change the tool's input.
    public var allowsChangedInput = false
    public var after = After.ask

    public init() {}
}
