internal import CLibwebsockets
internal import Logging
internal import Synchronization

/// The log of libwebsockets, shared by the whole process. It contains errors and warnings only: see
/// `Quirk.logsWhatClientsSend`.
enum LibraryLog {
    fileprivate static let sink = Mutex<Logger?>(nil)

    /// The latest logger receives all lines.
    static func send(to logger: Logger) {
        sink.withLock { $0 = logger }
        unsafe lws_set_log_level(1 | 2, libraryLogged)
    }
}

/// Called by libwebsockets on any thread that logs. The line is borrowed and ends with a newline.
private func libraryLogged(_ level: Int32, _ line: UnsafePointer<CChar>?) {
    guard let line = unsafe line, let logger = LibraryLog.sink.withLock({ $0 }) else { return }
    var text = unsafe String(cString: line)
    while text.last?.isNewline == true { text.removeLast() }
    logger.log(level: level == 1 ? .warning : .debug, "libwebsockets", metadata: ["line": .string(text)])
}
