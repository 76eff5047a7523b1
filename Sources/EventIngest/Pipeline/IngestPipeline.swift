package import EventModel
package import HTTPModel
package import Persistence

/// Routes events from any source to the writer, or to the spool while the database is unavailable or earlier events
/// are spooled but not committed. Safe from any thread.
package final class IngestPipeline: Sendable {
    /// Events that are stored together: all in the log, all in the spool, or none, except for events that the
    /// database rejects.
    package struct Submission: Sendable {
        package var events: [MonitorEvent]
        /// Called once, on any thread, with an outcome for each event, in order. It must not block.
        package var completion: @Sendable ([IngestOutcome]) -> Void

        package init(_ events: [MonitorEvent], completion: @escaping @Sendable ([IngestOutcome]) -> Void) {
            self.events = events
            self.completion = completion
        }
    }

    /// Seconds after which a client may retry if the length of the outage is unknown.
    private static let retrySeconds = 2
    /// One look each 50 ms.
    private static let replayLooks = 60

    private let spool: EventSpool?
    private let writer: @Sendable () -> EventWriter?
    private let flush: @Sendable () -> Void
    private let clockOffset: @Sendable (MachineID) -> Double?

    /// - Parameters:
    ///   - spool: `nil` if the spool is disabled.
    ///   - writer: returns `nil` while events cannot be committed.
    ///   - flush: called after completions that are not followed by a commit's `answered`, so that collected answers
    ///     are sent.
    ///   - clockOffset: the number of seconds by which a machine's clock is ahead of the server's; `nil` if it is right
    ///     or unknown.
    package init(
        spool: EventSpool?,
        writer: @escaping @Sendable () -> EventWriter?,
        flush: @escaping @Sendable () -> Void,
        clockOffset: @escaping @Sendable (MachineID) -> Double? = { _ in nil }
    ) {
        self.spool = spool
        self.writer = writer
        self.flush = flush
        self.clockOffset = clockOffset
    }

    /// Reads the events that an earlier run left in the spool and starts to replay them. Call once, before the first
    /// `submit`. Blocks: a gigabyte takes seconds.
    package func start() throws {
        try spool?.start { [writer] events, completion in
            ForgedEvents.withhold(from: events, completion) { events, completion in
                writer()?.append(events) { LateNumbers.keep(of: events, $0, in: writer(), completion) } ?? false
            }
        }
    }

    /// Throws 503 if no event can be stored now.
    package func check() throws(APIError) {
        _ = try way()
    }

    /// Whether the writer has nothing to do. An event submitted now is then committed at once.
    package var isIdle: Bool { writer()?.isIdle ?? false }

    package func submit(_ events: [MonitorEvent]) async -> [IngestOutcome] {
        await withCheckedContinuation { continuation in
            submit([Submission(events) { continuation.resume(returning: $0) }])
        }
    }

    /// Keeps the order of submissions whose events are committed together.
    package func submit(_ submissions: [Submission]) {
        let submissions = submissions.map(stamped)
        do throws(APIError) {
            switch try way() {
            case .writer(let writer): commit(submissions, writer)
            case .spool(let spool): for submission in submissions { keep(submission, in: spool) }
            }
        } catch {
            refuse(submissions[...], error)
        }
    }

    /// The submission, whose events carry the offset of their machine's clock.
    private func stamped(_ submission: Submission) -> Submission {
        guard let machine = submission.events.first?.machine, let offset = clockOffset(machine) else {
            return submission
        }
        var submission = submission
        for index in submission.events.indices where submission.events[index].machine == machine {
            submission.events[index].facts.clockOffset = offset
        }
        return submission
    }

    /// Commits the events, and never spools them. Waits some seconds while earlier events are replayed.
    ///
    /// - Returns: `nil` if they are in the log. After 503 they may be: the connection to the database may have been
    ///   lost.
    package func commit(_ events: [MonitorEvent]) async -> APIError? {
        guard let writer = await writerAfterReplay() else {
            return .databaseUnavailable(retryAfter: IngestPipeline.retrySeconds)
        }
        let events = stamped(Submission(events) { _ in }).events
        let outcomes: [AppendOutcome]? = await withCheckedContinuation { continuation in
            let isTaken = writer.append(events) { continuation.resume(returning: $0) }
            if !isTaken { continuation.resume(returning: nil) }
        }
        guard let outcomes else { return .queueFull }
        return outcomes.lazy.map(IngestOutcome.init).compactMap(\.error).first
    }

    /// The writer, once no spooled event waits: soon after a start or an outage. `nil` if that takes longer.
    private func writerAfterReplay() async -> EventWriter? {
        for _ in 0..<IngestPipeline.replayLooks {
            if case .writer(let writer)? = try? way() { return writer }
            do { try await Task.sleep(for: .milliseconds(50)) } catch { return nil }
        }
        return nil
    }

    private enum Way {
        case writer(EventWriter)
        case spool(EventSpool)
    }

    private func way() throws(APIError) -> Way {
        let writer = writer()
        let decision = spool?.decision(isWriterAvailable: writer != nil) ?? .database
        switch (decision, writer, spool) {
        case (.database, let writer?, _): return .writer(writer)
        case (.spool, _, let spool?): return .spool(spool)
        case (.refuse(let retryAfter), _, _): throw .databaseUnavailable(retryAfter: retryAfter)
        default: throw .databaseUnavailable(retryAfter: IngestPipeline.retrySeconds)
        }
    }

    private func refuse(_ submissions: ArraySlice<Submission>, _ error: APIError) {
        guard !submissions.isEmpty else { return }
        for submission in submissions { submission.completion(submission.events.map { _ in .unavailable(error) }) }
        flush()
    }
}

extension IngestPipeline {
    private func commit(_ submissions: [Submission], _ writer: EventWriter) {
        let taken = writer.append(
            submissions.map { submission in (submission.events, { self.settle(submission, $0) }) }
        )
        refuse(submissions[taken...], .queueFull)
    }

    /// Spools the events that the writer could not commit because the connection was lost. If the database did commit
    /// them, their ids reveal it during the replay. Runs on the writer's thread.
    private func settle(_ submission: Submission, _ appended: [AppendOutcome]) {
        LateNumbers.keep(of: submission.events, appended, in: writer()) { self.spoolUncommitted(of: submission, $0) }
    }

    private func spoolUncommitted(of submission: Submission, _ appended: [AppendOutcome]) {
        let outcomes = appended.map(IngestOutcome.init)
        guard let spool, outcomes.contains(where: \.isUnavailable) else { return submission.completion(outcomes) }
        let uncommitted = zip(submission.events, outcomes).filter { $0.1.isUnavailable }.map(\.0)
        let isTaken = spool.append(uncommitted) { [flush] outcome in
            let isDurable = outcome == .durable
            submission.completion(outcomes.map { $0.isUnavailable && isDurable ? .spooled : $0 })
            flush()
        }
        if !isTaken { submission.completion(outcomes) }
    }

    private func keep(_ submission: Submission, in spool: EventSpool) {
        let error = APIError.databaseUnavailable(retryAfter: IngestPipeline.retrySeconds)
        let isTaken = spool.append(submission.events) { [self] outcome in
            // The spool is empty, so the events may go to the writer, ahead of later posts.
            if outcome == .notNeeded, let writer = writer(),
                writer.append(submission.events, completion: { self.settle(submission, $0) })
            {
                return
            }
            let settled: IngestOutcome = outcome == .durable ? .spooled : .unavailable(error)
            submission.completion(submission.events.map { _ in settled })
            flush()
        }
        if !isTaken { refuse([submission], error) }
    }
}

extension IngestOutcome {
    init(_ outcome: AppendOutcome) {
        switch outcome {
        case .accepted(let seq): self = .accepted(seq: seq)
        case .duplicate(let seq): self = .duplicate(seq: seq)
        case .rejected: self = .rejected(.unstorable)
        case .unavailable(let retryAfter): self = .unavailable(.databaseUnavailable(retryAfter: retryAfter))
        }
    }

    var isUnavailable: Bool {
        guard case .unavailable = self else { return false }
        return true
    }

    /// `nil` if the event is stored.
    var error: APIError? {
        switch self {
        case .rejected(let error), .unavailable(let error): error
        case .accepted, .duplicate, .spooled: nil
        }
    }
}
