/// The monitor's own name of a kind of event: lower case with underscores, the `<type>` of `event/<type>`.
public struct EventType: Sendable, Hashable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let prompt = EventType(rawValue: "prompt")
    public static let tool = EventType(rawValue: "tool")
    public static let toolStart = EventType(rawValue: "tool_start")
    public static let toolFailure = EventType(rawValue: "tool_failure")
    public static let toolBatch = EventType(rawValue: "tool_batch")
    public static let sessionStart = EventType(rawValue: "session_start")
    public static let sessionEnd = EventType(rawValue: "session_end")
    /// A session's process has ended without notice, as heartbeats show. Machines cannot post it.
    public static let sessionGone = EventType(rawValue: "session_gone")
    /// A log record or metrics of OpenTelemetry.
    public static let telemetry = EventType(rawValue: "telemetry")
    /// A transcript has grown.
    public static let transcript = EventType(rawValue: "transcript")

    /// The server's own events about prompts. Machines cannot post them.
    public static let promptOpened = EventType(rawValue: "prompt_opened")
    public static let promptUpdated = EventType(rawValue: "prompt_updated")
    public static let promptClosed = EventType(rawValue: "prompt_closed")
    public static let ofPrompts: Set<EventType> = [.promptOpened, .promptUpdated, .promptClosed]
    /// The server's own event about a message to a session. Machines cannot post it.
    public static let messageUpdated = EventType(rawValue: "message_updated")
    /// The server's own event: a person interrupted a turn, which no hook reports.
    public static let sessionInterrupted = EventType(rawValue: "session_interrupted")
    /// The server's own event: a person renamed, pinned or archived a session.
    package static let sessionChanged = EventType(rawValue: "session_changed")
    /// A session's row in lists as it is now. It is no event of the log, and only clients that name the type get it.
    package static let sessionRow = EventType(rawValue: "session_row")
    /// Text that a session is writing. It is no event of the log, and only clients that name the session get it.
    package static let messagePartial = EventType(rawValue: "message_partial")
    /// What the terminal of a session shows. It is no event of the log, and only clients that name the session and this
    /// type get it.
    package static let ptyOutput = EventType(rawValue: "pty_output")
    /// The state of a workspace's repository has changed. It is no event of the log, and only clients that follow the
    /// workspace get it.
    package static let gitStatusChanged = EventType(rawValue: "git_status_changed")
    /// A file of a workspace has changed. As `gitStatusChanged`; a hook of the same name is an event of the log.
    package static let fileChanged = EventType(.known(.fileChanged))
    /// How a workspace is watched. As `gitStatusChanged`.
    package static let watchChanged = EventType(rawValue: "watch_changed")
    /// The server's own event: the number of an event that is in the log without its number.
    public static let streamNumber = EventType(rawValue: "stream_number")

    /// The types of names that are not simply converted to snake case.
    private static let irregular: [HookEventName.Known: EventType] = [
        .userPromptSubmit: .prompt,
        .userPromptExpansion: EventType(rawValue: "prompt_expansion"),
        .preToolUse: .toolStart,
        .postToolUse: .tool,
        .postToolUseFailure: .toolFailure,
        .postToolBatch: .toolBatch,
    ]

    /// Short words that hook scripts and other monitors send. They are compared in snake case, so `toolUse` also
    /// matches.
    private static let aliases: [String: EventType] = [
        "start": .sessionStart,
        "end": .sessionEnd,
        "user_prompt": .prompt,
        "tool_use": .tool,
        "assistant_response": EventType(.known(.stop)),
    ]

    public init(_ name: HookEventName) {
        if let known = name.known, let type = EventType.irregular[known] {
            self = type
        } else {
            self.init(rawValue: EventType.snakeCase(name.text))
        }
    }

    /// Accepts any name that a sender uses: the monitor's name, a hook script's short word or Claude Code's name.
    public init(sent text: String) {
        let name = HookEventName(text)
        if name.known != nil {
            self.init(name)
        } else {
            let word = EventType.snakeCase(text)
            self = EventType.aliases[word] ?? EventType(rawValue: word)
        }
    }

    /// `PostToolUse` becomes `post_tool_use`. Characters other than letters, digits and underscores become underscores.
    private static func snakeCase(_ text: String) -> String {
        var word: [UInt8] = []
        var previousWasLower = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if previousWasLower { word.append(UInt8(ascii: "_")) }
                word.append(byte + 32)
                previousWasLower = false
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                word.append(byte)
                previousWasLower = true
            default:
                word.append(UInt8(ascii: "_"))
                previousWasLower = false
            }
        }
        return String(decoding: word, as: UTF8.self)
    }
}
