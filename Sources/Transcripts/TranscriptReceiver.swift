package import EventIngest
package import EventModel
package import HTTPModel
internal import JSON
package import Masking
package import Persistence
internal import Workers

/// Takes pieces of transcripts one at a time, so that an import of years delays nothing else. The queue is bounded, and
/// a sender that finds it full tries again. Machines take turns, and one machine fills at most half of the queue.
package actor TranscriptReceiver {
    /// The maximum number of waiting pieces. Each has up to a mebibyte.
    private static let maxWaiting = 16
    private static let retrySeconds = 2
    /// The number of lines whose lexemes are made in one statement.
    private static let oldLines: Int64 = 500
    private static let leftoverSeconds = 5.0

    private let store: @Sendable () throws(APIError) -> PostgresStore
    private let pipeline: IngestPipeline
    private let reader: PieceReader
    private let versions: ClientVersions
    private let onRead: @Sendable (ReadMessages) -> Void
    private var files = OpenFiles()
    private var lane = FairQueue<MachineID?, CheckedContinuation<Bool, Never>>(
        workers: 1,
        workersOfOwner: 1,
        waiting: maxWaiting
    )
    /// Whether the log may lack events of stored lines.
    private var mayHaveLeftovers = true

    /// - Parameters:
    ///   - onRead: called for new lines; must not block.
    ///   - store: throws while the database is away.
    package init(
        policy: ContentPolicy,
        pipeline: IngestPipeline,
        versions: ClientVersions,
        onRead: @escaping @Sendable (ReadMessages) -> Void,
        store: @escaping @Sendable () throws(APIError) -> PostgresStore
    ) {
        reader = PieceReader(policy: policy)
        self.pipeline = pipeline
        self.versions = versions
        self.onRead = onRead
        self.store = store
    }

    /// Returns when the lines of the piece are stored and the log has their event, or will have it.
    package func receive(_ piece: TranscriptPiece) async throws(APIError) -> TranscriptAnswer {
        guard await enter(piece.machine) else {
            throw .unavailable("transcripts_busy", "Other transcripts are being read.", retryAfter: 1)
        }
        defer { leave(piece.machine) }
        let store = try store()
        do throws(PersistenceError) {
            return try await take(piece, store)
        } catch {
            files.forget(piece.key)
            if error.isDataError { throw .unstorable }
            throw .databaseUnavailable(retryAfter: TranscriptReceiver.retrySeconds)
        }
    }

    /// Forgets the unfinished lines of all files; their senders are asked for them again.
    package func forgetLines() { files.forgetAll() }

    /// Adds events to the log that a crash kept from it, and makes the lexemes of old lines. Returns when the task is
    /// cancelled.
    package func run() async {
        var hasOldLines = true
        while !Task.isCancelled {
            if hasOldLines, let store = try? store() {
                // `nil` if the database is away: try again.
                while !Task.isCancelled, let count = try? await store.addLexemes(atMost: TranscriptReceiver.oldLines) {
                    if count == 0 {
                        hasOldLines = false
                        break
                    }
                }
            }
            if mayHaveLeftovers, let store = try? store() { await sendLeftovers(store) }
            try? await Task.sleep(for: .seconds(TranscriptReceiver.leftoverSeconds))
        }
    }

    private func take(_ piece: TranscriptPiece, _ store: PostgresStore) async throws(PersistenceError)
        -> TranscriptAnswer
    {
        let file = try await store.transcriptFile(of: piece.machine, path: piece.path, session: piece.sessionID)
        var position = file.position
        var splitter = files.splitter(piece.key, of: file)
        switch position.decide(
            offset: piece.offset,
            prefix: piece.prefix,
            piece: piece.bytes,
            next: splitter.nextOffset
        ) {
        case .gap(0):
            // Another file has this path now. A new generation begins when its sender starts over.
            return .gap(nextOffset: 0)
        case .gap(let next): return .gap(nextOffset: next)
        case .restart:
            position = FilePosition(generation: position.generation + 1)
            splitter = LineSplitter(at: 0)
            return try await add(piece, piece.bytes[...], file, position, splitter, store)
        case .take(let known):
            return try await add(piece, piece.bytes.dropFirst(known), file, position, splitter, store)
        }
    }

    private func add(
        _ piece: TranscriptPiece,
        _ bytes: ArraySlice<UInt8>,
        _ file: StoredFile,
        _ position: FilePosition,
        _ splitter: LineSplitter,
        _ store: PostgresStore
    ) async throws(PersistenceError) -> TranscriptAnswer {
        var (position, splitter) = (position, splitter)
        position.learn(offset: piece.offset, prefix: piece.prefix, piece: piece.bytes)
        let lines = splitter.take(bytes)
        position.lineOffset = splitter.lineOffset
        let isSameFile = position.generation == file.position.generation
        let content = reader.read(
            lines,
            session: piece.sessionID,
            lastAt: isSameFile ? file.lastAt : nil,
            answers: isSameFile ? file.answers : AnswerTracker(),
            receivedAt: piece.receivedAt
        )
        if let version = content.clientVersion { versions.heard(version) }
        if position != file.position || !lines.isEmpty {
            let growth = GrowthEvent(content, of: piece, generation: position.generation, at: splitter.lineOffset)
            let events = [growth] + (GrowthEvent.interruption(content, of: piece).map { [$0] } ?? [])
            let update = FileUpdate(file: file, position: position, content: content, events: events)
            guard let logged = try await store.addTranscriptLines(update, of: piece) else {
                // Another server has read the file in the meantime.
                files.forget(piece.key)
                let now = try await store.transcriptFile(of: piece.machine, path: piece.path, session: piece.sessionID)
                return .gap(nextOffset: now.position.lineOffset)
            }
            if !logged.isEmpty {
                for event in logged { await send(event, store) }
                let (session, messages) = (piece.sessionID, content.readMessages)
                if !messages.isEmpty {
                    onRead(ReadMessages(sessionID: session, machine: piece.machine, messages: messages))
                }
            }
        }
        files.keep(splitter, generation: position.generation, as: piece.key)
        return .taken(nextOffset: splitter.nextOffset)
    }
}

extension TranscriptReceiver {
    /// Sends an event to the log. The event is already in the database, so nothing is lost if this fails.
    private func send(_ event: GrowthEvent, _ store: PostgresStore) async {
        guard let outcome = await pipeline.submit([event.event]).first else { return }
        switch outcome {
        case .accepted, .duplicate, .spooled, .rejected:
            do throws(PersistenceError) {
                try await store.forgetGrowth(event.event.id)
            } catch {
                mayHaveLeftovers = true
            }
        case .unavailable: mayHaveLeftovers = true
        }
    }

    private func sendLeftovers(_ store: PostgresStore) async {
        guard await enter(nil) else { return }
        defer { leave(nil) }
        do throws(PersistenceError) {
            mayHaveLeftovers = false
            let events = try await store.leftoverGrowth()
            for event in events { await send(event, store) }
            if events.count == PostgresStore.leftoverPage { mayHaveLeftovers = true }
        } catch {
            mayHaveLeftovers = true
        }
    }

    /// - Parameter machine: the sender of the piece; `nil` for the server's own work.
    private func enter(_ machine: MachineID?) async -> Bool {
        await withCheckedContinuation { continuation in
            guard lane.offer(continuation, from: machine) else { return continuation.resume(returning: false) }
            startNext()
        }
    }

    private func leave(_ machine: MachineID?) {
        lane.ended(machine)
        startNext()
    }

    private func startNext() {
        while let (_, continuation) = lane.next() { continuation.resume(returning: true) }
    }
}
