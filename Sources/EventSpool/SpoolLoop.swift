internal import EventModel
internal import Logging
internal import Workers

/// What the spool's thread does: write what has queued, take in what the sink has answered, offer it the next batch.
/// Belongs to that thread.
final class SpoolLoop {
    /// So that nothing hangs for good should a sink break its promise to answer.
    private static let idleMilliseconds = 1000

    let configuration: SpoolConfiguration
    let board: SpoolBoard
    let logger: Logger
    let clock: @Sendable () -> Timestamp
    let directory: SpoolDirectory
    let rejectedEvents: RejectedEvents
    let sink: EventSpool.Sink
    let mailbox: Mailbox<SpoolCommand>

    var backlog: Backlog
    var writer: SegmentWriter?
    var nextNumber: Int
    var nextSequence: UInt64
    var replay = ReplayState()

    init(
        mailbox: Mailbox<SpoolCommand>,
        configuration: SpoolConfiguration,
        board: SpoolBoard,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        directory: SpoolDirectory,
        recovery: SpoolRecovery,
        sink: @escaping EventSpool.Sink
    ) {
        self.mailbox = mailbox
        self.configuration = configuration
        self.board = board
        self.logger = logger
        self.clock = clock
        self.directory = directory
        self.sink = sink
        rejectedEvents = RejectedEvents(in: directory, byteLimit: configuration.rejectedBytes)
        backlog = recovery.backlog
        nextNumber = recovery.nextNumber
        nextSequence = recovery.nextSequence
    }

    func run() {
        while true {
            replayNext()
            let taken = mailbox.takeAll(maxBytes: configuration.segmentBytes, timeoutMilliseconds: pauseMilliseconds)
            switch taken {
            case .elements(let commands):
                write(commands.compactMap { if case .append(let request) = $0 { request } else { nil } })
            case .timedOut: continue
            case .closed: return
            }
        }
    }

    /// `nil`: until something comes.
    private var pauseMilliseconds: Int? {
        if replay.isUnderWay { return SpoolLoop.idleMilliseconds }
        return replay.batch != nil || backlog.hasUnread ? configuration.retryMilliseconds : nil
    }
}
