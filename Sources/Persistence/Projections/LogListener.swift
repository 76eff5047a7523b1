import EventModel
import Logging
import Synchronization
import Workers

/// Listens for notices of other servers about the log, on its own thread and connection.
final class LogListener: Sendable {
    private static let pauseMilliseconds = 1000
    /// Milliseconds without a notice after which the connection is tested. Each server sends notices more often.
    private static let silenceMilliseconds: Int32 = 15_000
    private static let listen = "LISTEN \(LogNotice.channel)"

    private let configuration: PersistenceConfiguration
    /// Carries no elements. Closing it wakes the thread.
    private let alarm = Mailbox<Void>(byteLimit: 0)
    private let thread = Mutex<WorkerThread?>(nil)

    init(configuration: PersistenceConfiguration) {
        self.configuration = configuration
    }

    /// Call once. Connection failures are reported by the writer and the projectors, not here.
    ///
    /// - Parameter onNotice: called on the listener's thread; it must not block. Notices are lost while there is no
    ///   connection. After a reconnect the listener reports an erasure of unknown sessions, so that no copies of erased
    ///   events stay in memory.
    func start(onNotice: @escaping @Sendable (LogNotice) -> Void) throws(WorkerThreadError) {
        let worker = try WorkerThread(name: "log-listener") { [self] in
            var hasMissed = false
            while !alarm.isClosed {
                do throws(PersistenceError) {
                    try listen(hasMissed: hasMissed, onNotice)
                } catch {
                    hasMissed = true
                    _ = alarm.takeAll(timeoutMilliseconds: LogListener.pauseMilliseconds)
                }
            }
        }
        thread.withLock { $0 = worker }
    }

    func stop() {
        alarm.close()
        thread.withLock { $0 }?.join()
    }

    private func listen(hasMissed: Bool, _ onNotice: (LogNotice) -> Void) throws(PersistenceError) {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor listener",
            replyTimeoutMilliseconds: 15_000,
            shouldGiveUp: { [alarm] in alarm.isClosed }
        )
        try connection.execute(LogListener.listen, as: "listen")
        if hasMissed { onNotice(.erased(sessions: [])) }
        while !alarm.isClosed {
            let payloads = try connection.notifications(timeoutMilliseconds: LogListener.silenceMilliseconds)
            if payloads.isEmpty, !alarm.isClosed { try connection.execute(LogListener.listen, as: "listen again") }
            for payload in payloads {
                if let notice = LogNotice(payload: payload) { onNotice(notice) }
            }
        }
    }
}
