import Logging
import Synchronization

/// Keeps what is logged: level, message and metadata of each entry.
package final class LogLines: Sendable {
    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
            lines.kept.withLock {
                $0.append((["\(event.level)", "\(event.message)"] + metadata).joined(separator: " "))
            }
        }
    }

    private let kept = Mutex<[String]>([])

    package init() {}

    package var all: [String] { kept.withLock { $0 } }
    package var logger: Logger { Logger(label: "tests") { _ in Handler(lines: self) } }
}
