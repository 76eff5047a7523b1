/// Claude Code's name of an event (`hook_event_name`). The list grows about monthly. An unknown name is kept unchanged.
public enum HookEventName: Sendable, Hashable {
    case known(Known)
    case unknown(String)

    /// The names of Claude Code 2.1.332.
    public enum Known: String, Sendable, CaseIterable {
        case preToolUse = "PreToolUse"
        case postToolUse = "PostToolUse"
        case postToolUseFailure = "PostToolUseFailure"
        case postToolBatch = "PostToolBatch"
        case notification = "Notification"
        case userPromptSubmit = "UserPromptSubmit"
        case userPromptExpansion = "UserPromptExpansion"
        case sessionStart = "SessionStart"
        case sessionEnd = "SessionEnd"
        case stop = "Stop"
        case stopFailure = "StopFailure"
        case subagentStart = "SubagentStart"
        case subagentStop = "SubagentStop"
        case preCompact = "PreCompact"
        case postCompact = "PostCompact"
        case preModelSwitch = "PreModelSwitch"
        case postModelSwitch = "PostModelSwitch"
        case permissionRequest = "PermissionRequest"
        case permissionDenied = "PermissionDenied"
        case setup = "Setup"
        case teammateIdle = "TeammateIdle"
        case taskCreated = "TaskCreated"
        case taskCompleted = "TaskCompleted"
        case elicitation = "Elicitation"
        case elicitationResult = "ElicitationResult"
        case configChange = "ConfigChange"
        case worktreeCreate = "WorktreeCreate"
        case worktreeRemove = "WorktreeRemove"
        case instructionsLoaded = "InstructionsLoaded"
        case cwdChanged = "CwdChanged"
        case fileChanged = "FileChanged"
        case directoryAdded = "DirectoryAdded"
        case messageDisplay = "MessageDisplay"
        /// A skill runs a command without a `PreToolUse`.
        case preSkillShellCommand = "PreSkillShellCommand"
    }

    public init(_ text: String) {
        self = Known(rawValue: text).map(HookEventName.known) ?? .unknown(text)
    }

    public var text: String {
        switch self {
        case .known(let name): name.rawValue
        case .unknown(let text): text
        }
    }

    public var known: Known? {
        guard case .known(let name) = self else { return nil }
        return name
    }
}
