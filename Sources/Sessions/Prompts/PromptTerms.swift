/// What the machine's own file allows for a prompt while its hook waits.
package struct PromptTerms: Sendable, Equatable {
    /// What follows if nobody answers while the hook waits.
    package enum After: String, Sendable, CaseIterable {
        /// Claude Code goes on asking at the terminal. A run without a terminal denies.
        case ask
        case deny
    }

    /// The modes of Claude Code that an answer may set. What a mode permits goes beyond the call.
    package enum Mode: String, Sendable, CaseIterable {
        case `default`
        case acceptEdits
    }

    /// The permission rules that an answer may add.
    package enum Rules: String, Sendable, CaseIterable {
        /// For exactly this call.
        case exact
        /// Also those that Claude Code suggests.
        case suggested
        /// Also patterns of a person's own, for this tool.
        case any
    }

    /// An answer may add a permission rule that lasts beyond the session.
    package var allowsAlways = false
    /// An answer may change the tool's input.
    package var allowsChangedInput = false
    package var after = After.ask
    package var modes = [Mode.default]
    /// An answer may add a directory that Claude Code suggests.
    package var allowsDirectories = false
    package var rules = Rules.exact

    package init() {}
}
