import Foundation

/// Results go to stdout, everything said about them to stderr.
enum Output {
    /// The reader of stdout has gone: end quietly.
    struct Closed: Error {}

    static func line(_ text: String) throws(Closed) {
        try bytes(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    /// Blocks while the terminal or pipe is full, so nothing is dropped.
    static func bytes(_ bytes: [UInt8]) throws(Closed) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            throw Closed()
        }
    }

    /// One JSON document, as the server wrote it but for what steers a terminal, and a newline.
    static func document(_ body: Data) throws(Closed) {
        try bytes(TerminalJSON.printable(body) + (body.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]))
    }

    /// May be several lines.
    static func note(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(TerminalText.printable)
        try? FileHandle.standardError.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
}
