internal import Signing

/// Values of the headers that repeat parts of a message.
enum HeaderText {
    private static let maximumBytes = 256

    static func isPlain(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    /// Any text, in the form of the protocol for characters that a header cannot carry.
    static func encoded(_ text: String) -> String {
        isPlain(text) && !text.hasPrefix("=?") ? text : "=?base64?\(Base64.encode(Array(text.utf8)))?="
    }
}
