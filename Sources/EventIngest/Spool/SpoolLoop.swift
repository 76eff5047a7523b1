internal import EventModel
internal import Logging
internal import Persistence
internal import Workers

/// The spool's thread: writes queued requests, processes the sink's answers, and offers it the next batch. Belongs to
/// that thread.
final class SpoolLoop {
    /// Bounds the wait if a sink fails to answer.
    private static let idleMilliseconds = 1000

    let configuration: SpoolConfiguration
    let shared: SharedSpoolState
    let logger: Logger
    let clock: @Sendable () -> Timestamp
    let directory: SpoolDirectory
    let rejectedEvents: RejectedEvents
    let sink: EventSpool.Sink
    let mailbox: Mailbox<SpoolCommand>
    /// Answers of the sink. At most one, because one batch is in progress at a time.
    let answers: Mailbox<[AppendOutcome]>

    var backlog: SegmentQueue
    var writer: SegmentWriter?
    var nextNumber: Int
    var nextSequence: UInt64
    var replay = ReplayState()
    var sideFileBytes: Int
    var sideFilesCountedAt: Timestamp

    init(
        mailbox: Mailbox<SpoolCommand>,
        answers: Mailbox<[AppendOutcome]>,
        configuration: SpoolConfiguration,
        shared: SharedSpoolState,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        directory: SpoolDirectory,
        recovery: SpoolRecovery,
        sink: @escaping EventSpool.Sink
    ) {
        self.mailbox = mailbox
        self.answers = answers
        self.configuration = configuration
        self.shared = shared
        self.logger = logger
        self.clock = clock
        self.directory = directory
        self.sink = sink
        rejectedEvents = RejectedEvents(in: directory, byteLimit: configuration.rejectedBytes)
        backlog = recovery.backlog
        nextNumber = recovery.nextNumber
        nextSequence = recovery.nextSequence
        sideFileBytes = recovery.sideFileBytes
        sideFilesCountedAt = clock()
    }

    func run() {
        while true {
            replayNext()
            if replay.isUnderWay, replay.intakeIsSpent, takeAnswer(within: SpoolLoop.idleMilliseconds) { continue }
            let taken = mailbox.takeAll(
                maxBytes: min(replay.intakeBytes ?? .max, configuration.segmentBytes),
                timeoutMilliseconds: pauseMilliseconds
            )
            switch taken {
            case .elements(let commands):
                for case .erase(let subject, let completion) in commands { erase(subject, completion) }
                take(commands.compactMap { if case .append(let request) = $0 { request } else { nil } })
            case .timedOut: if sideFileBytes > 0 { recountSideFiles() }
            case .closed: return directory.release()
            }
        }
    }

    private func take(_ requests: [SpoolRequest]) {
        guard !requests.isEmpty else { return }
        if replay.isDraining && replay.batch == nil && !backlog.hasUnread {
            passOn(requests)
        } else {
            replay.spend(requests.reduce(0) { $0 + $1.recordBytes })
            write(requests)
        }
    }

    /// Ends a replay: all earlier events are committed and the database accepts more. If these requests were spooled
    /// first, a steady stream of posts would never again reach the database directly.
    private func passOn(_ requests: [SpoolRequest]) {
        for request in requests {
            request.completion(.notNeeded)
            let isEmpty = shared.update { state in
                state.gate.withdraw(events: request.payloads.count, bytes: request.recordBytes)
                return state.gate.waitingEvents == 0
            }
            if isEmpty { replay.stopDraining() }
        }
        replay.passedOn()
    }

    /// `nil` means until the next message.
    private var pauseMilliseconds: Int? {
        if replay.isUnderWay { return SpoolLoop.idleMilliseconds }
        if replay.batch != nil || backlog.hasUnread { return configuration.retryMilliseconds }
        return sideFileBytes > 0 ? configuration.sideFileMilliseconds : nil
    }
}
