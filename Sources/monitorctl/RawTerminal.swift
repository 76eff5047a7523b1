@preconcurrency import Dispatch
import Foundation

/// The terminal of this process while every key goes to a session. Restores its settings at the end.
final class RawTerminal: Sendable {
    private let settings: termios

    /// Ends the modes that a session may have left: the alternate screen, a hidden cursor, mouse and focus reports,
    /// bracketed paste, colours.
    private static let reset =
        ["?1049l", "?25h", "?1000l", "?1002l", "?1003l", "?1006l", "?1004l", "?2004l", "0m"]
        .map { "\u{1b}[" + $0 }.joined() + "\r\n"

    /// Throws if input or output is no terminal.
    init() throws(CommandError) {
        var settings = termios()
        guard isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw .refused("standard input and output must be a terminal")
        }
        self.settings = settings
        var raw = settings
        cfmakeraw(&raw)
        _ = tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    func restore() {
        try? Output.bytes(Array(RawTerminal.reset.utf8))
        var settings = settings
        _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    /// Columns and rows; nil if the terminal does not say.
    static var size: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 1, window.ws_row > 1 else {
            return nil
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// What is typed, as it comes. Ends with the input.
    static func keys() -> AsyncStream<[UInt8]> {
        let (keys, continuation) = AsyncStream<[UInt8]>.makeStream()
        Thread.detachNewThread {
            while true {
                // `read(upToCount:)` waits until it has all of the count.
                let data = FileHandle.standardInput.availableData
                guard !data.isEmpty else { break }
                continuation.yield(Array(data))
            }
            continuation.finish()
        }
        return keys
    }

    /// An element whenever the terminal gets another size.
    static func sizeChanges() -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
        source.setEventHandler { continuation.yield() }
        source.activate()
        continuation.onTermination = { _ in source.cancel() }
        return changes
    }
}
