import Foundation

/// The capabilities of the terminal on stdout.
struct TerminalStyle: Equatable {
    enum Colour: String {
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    var isColoured: Bool
    /// `nil` if stdout is not a terminal.
    var width: Int?

    func apply(_ colour: Colour?, to text: String) -> String {
        guard isColoured, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// Colour requires a terminal that supports it (`TERM` is not `dumb`) and no objection by the user
    /// (no-color.org).
    static func detect(environment: [String: String], isTerminal: Bool, reportedWidth: Int?) -> TerminalStyle {
        guard isTerminal else { return TerminalStyle(isColoured: false, width: nil) }
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? reportedWidth ?? 80
        return TerminalStyle(
            isColoured: environment.nonEmpty("NO_COLOR") == nil && environment["TERM"] != "dumb",
            width: max(columns, 20)
        )
    }

    static func ofStandardOutput() -> TerminalStyle {
        var size = winsize()
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let isSized = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return detect(
            environment: ProcessInfo.processInfo.environment,
            isTerminal: isTerminal,
            reportedWidth: isSized ? Int(size.ws_col) : nil
        )
    }
}
