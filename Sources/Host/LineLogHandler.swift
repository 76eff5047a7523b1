internal import EventModel
internal import Glibc
internal import JSON
package import Logging
internal import Synchronization

/// Writes one line per record to standard error, as text or as JSON.
package struct LineLogHandler: LogHandler {
    package enum Format: Sendable {
        case text
        case json
    }

    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level
    private let label: String
    private let format: Format

    package init(label: String, level: Logger.Level, format: Format) {
        self.label = label
        self.format = format
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let sorted = merged.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        let message = event.message.description
        let line =
            switch format {
            case .text: LineLogHandler.text(event.level, message, sorted)
            case .json: json(event.level, message, sorted)
            }
        StandardError.write(line + "\n")
    }

    private static func text(_ level: Logger.Level, _ message: String, _ metadata: [(String, String)]) -> String {
        let values = metadata.map { " \($0.0)=\(quoted($0.1))" }.joined()
        return "\(SystemClock.now()) \(level.rawValue.uppercased()) \(message)\(values)"
    }

    /// Writes a value with blanks or control characters as a JSON string, because it could forge a line.
    private static func quoted(_ value: String) -> String {
        let value = withoutTerminalControls(value)
        guard value.isEmpty || value.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\"") }) else {
            return value
        }
        var writer = JSONWriter()
        writer.string(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Removes characters that a terminal could interpret and JSON does not escape: DEL and the C1 controls.
    private static func withoutTerminalControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { (0x7F...0x9F).contains($0.value) }) else { return text }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: text.unicodeScalars.map { (0x7F...0x9F).contains($0.value) ? "\u{FFFD}" : $0 })
        return String(shown)
    }

    private func json(_ level: Logger.Level, _ message: String, _ metadata: [(String, String)]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("time", SystemClock.now().description)
        writer.field("level", level.rawValue)
        writer.field("logger", label)
        writer.field("message", message)
        for (key, value) in metadata {
            writer.key(named: key)
            writer.string(value)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes whole lines, from any thread.
package enum StandardError {
    private static let lock = Mutex(())

    package static func write(_ text: String) {
        lock.withLock { _ in writeAll(STDERR_FILENO, Array(text.utf8)) }
    }
}

package enum StandardOutput {
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    package static func write(_ text: String) {
        writeAll(STDOUT_FILENO, Array(text.utf8))
    }
}

/// Output that cannot be written is lost: there is nowhere to report it.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { buffer in unsafe write(descriptor, buffer.baseAddress, buffer.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
