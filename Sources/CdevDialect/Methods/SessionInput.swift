import RPC

/// The content of `session/input`.
enum SessionInput: Equatable {
    case message(String)
    case escape
    /// A key that this server cannot press, because it has no terminal.
    case otherKey

    /// cdev's clients send names of keys in `input` too, for which cdev presses the key.
    private static let escapes: Set<String> = ["escape", "esc"]
    private static let otherKeys: Set<String> = [
        "enter", "return", "up", "down", "left", "right", "tab", "backspace", "delete", "home", "end", "pageup",
        "pagedown", "space",
    ]

    /// - Parameters:
    ///   - text: the parameter `input`, which takes precedence.
    ///   - key: the parameter `key`.
    init(text: String?, key: String?, dialect: Dialect) {
        guard let text else {
            self = key.map(SessionInput.escapes.contains) == true ? .escape : .otherKey
            return
        }
        guard dialect == .cdev else {
            self = .message(text)
            return
        }
        let isEscape = SessionInput.escapes.contains(text)
        self = isEscape ? .escape : SessionInput.otherKeys.contains(text) ? .otherKey : .message(text)
    }
}
