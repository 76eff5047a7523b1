internal import Host

/// A question to the person at the terminal.
enum Consent {
    /// Anything but a yes is a no.
    static func ask(_ question: String) -> Bool {
        StandardOutput.write(ShownText.line(question) + " [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
}
