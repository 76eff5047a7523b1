import Foundation

/// Results go to stdout, all messages about them to stderr.
enum Output {
    /// The reader of stdout has closed it: exit without a message.
    struct Closed: Error {}

    static func line(_ text: String) throws(Closed) {
        try bytes(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    /// Blocks while the terminal or pipe is full, so no output is lost.
    static func bytes(_ bytes: [UInt8]) throws(Closed) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            throw Closed()
        }
    }

    /// Prints a text from outside, which may have several lines.
    static func text(_ body: Data) throws(Closed) {
        try bytes(Array(TerminalText.printableLines(String(decoding: body, as: UTF8.self)).utf8))
    }

    /// Prints one JSON document, or JSON Lines, and a newline. Only terminal control characters differ from the
    /// server's output.
    static func document(_ body: Data) throws(Closed) {
        try bytes(TerminalJSON.printable(body) + (body.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]))
    }

    /// May be several lines.
    static func note(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(TerminalText.printable)
        try? FileHandle.standardError.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
