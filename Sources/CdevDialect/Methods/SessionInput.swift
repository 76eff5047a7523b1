import RPC

/// The content of `session/input`.
enum SessionInput: Equatable {
    case message(String)
    /// What a keyboard sends.
    case keys(String)
    /// The named key; only a terminal has it.
    case key(String)
    case escape

    /// What a keyboard sends for the keys that cdev's clients name.
    private static let keyboard = [
        "enter": "\r", "return": "\r", "up": "\u{1B}[A", "down": "\u{1B}[B", "right": "\u{1B}[C", "left": "\u{1B}[D",
        "tab": "\t", "backspace": "\u{7F}", "delete": "\u{1B}[3~", "home": "\u{1B}[H", "end": "\u{1B}[F",
        "pageup": "\u{1B}[5~", "pagedown": "\u{1B}[6~", "space": " ", "escape": "\u{1B}", "esc": "\u{1B}",
    ]
    private static let escapes: Set<String> = ["escape", "esc"]

    /// - Parameters:
    ///   - text: the parameter `input`, which takes precedence. cdev's clients send names of keys in it too, for which
    ///     cdev presses the key.
    ///   - key: the parameter `key`.
    ///   - data: the parameter `data`: what a keyboard sends.
    init(text: String?, key: String?, data: String?, dialect: Dialect) {
        if let text {
            let isKey = dialect == .cdev && SessionInput.keyboard[text] != nil
            self = isKey ? SessionInput.named(text) : .message(text)
        } else {
            self = data.map(SessionInput.keys) ?? SessionInput.named(key ?? "")
        }
    }

    private static func named(_ key: String) -> SessionInput { escapes.contains(key) ? .escape : .key(key) }

    /// What a keyboard sends for a key; `nil` if this server does not know the name.
    static func sent(by key: String) -> String? { keyboard[key] }
}
