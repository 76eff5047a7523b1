internal import Audit
internal import Devices
internal import EventModel
internal import HTTPModel
internal import Host
internal import Logging
internal import Messages
internal import Notifications
internal import Persistence
internal import PrivateCluster
internal import Prompts
internal import Secrets
internal import Serving
internal import Settings
internal import Workers

/// Retries until the database can commit events, and then refreshes the data that is cached from it.
struct DatabaseSupervisor {
    private static let pauses = 0.25...10.0
    /// Seconds between counts that read the whole table.
    private static let idleCountSeconds = 60.0

    let source: DatabaseSource
    let services: Services
    let secrets: SecretVault
    let accounts: AccountObserver
    let publisher: CommitPublisher

    private var context: ServerContext { services.context }
    private var keys: KeyService { context.keys }

    /// Returns when the task is cancelled. Throws only errors that no retry can fix.
    func run() async throws {
        var backoff = Backoff(DatabaseSupervisor.pauses)
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            do {
                try await bringUp()
                break
            } catch {
                guard DatabaseSupervisor.isRetriable(error) else { throw error }
                let isUnsuitable = (error as? PersistenceError)?.kind == .unsuitable
                context.database.become(isUnsuitable ? .unsuitable("\(error)") : .failing("\(error)"))
                context.logger.warning("the database is not ready", metadata: [LogKey.error: "\(error)"])
                try? await Task.sleep(for: .seconds(backoff.next(using: &random)))
            }
        }
        await attend()
    }

    private func bringUp() async throws {
        let persistence = try await source.persistence()
        try await runBlocking { () throws(PersistenceError) in try SessionPooling.require(by: persistence) }
        try await migrate(persistence)
        let workers = try Database.Workers(
            persistence,
            context: context,
            features: services.features,
            sendsPushes: services.push != nil,
            observers: [publisher, context.answers, context.messages],
            logObservers: [publisher, SessionBaselines(context: context)],
            projectionObservers: [context.prompts, context.messages, accounts, publisher]
        )
        do {
            try await secrets.requireKeys(of: workers.store)
            try await keys.load(from: workers.store)
            try await services.devices.load(from: workers.store)
            try await publisher.begin(at: workers.store.bounds(), reading: workers.store)
            try workers.maintenance.start()
            try workers.projectors.start()
            try workers.feed.start()
            try workers.writer.start()
        } catch {
            await runBlocking { workers.stop() }
            throw error
        }
        context.database.become(.ready(workers))
        services.push?.outboxFilled()
        context.logger.info("the database is ready")
    }

    /// May wait for another server that is migrating, and for the migrations themselves. Cancelling the task aborts
    /// it.
    private func migrate(_ persistence: PersistenceConfiguration) async throws {
        let isCancelled = StopFlag()
        let migrator = Migrator(configuration: persistence, logger: context.logger) { isCancelled.isSet }
        try await withTaskCancellationHandler {
            _ = try await runBlocking { () throws(MigrationError) in try migrator.run() }
        } onCancel: {
            isCancelled.set()
        }
    }

    private func attend() async {
        var known: String?
        var backoff = Backoff(DatabaseSupervisor.pauses)
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            let failure = await refresh()
            if let failure, failure.kind != known {
                context.logger.warning("the database failed", metadata: [LogKey.error: "\(failure.text)"])
            }
            known = failure?.kind
            if known == nil { backoff.reset() }
            await sample()
            await context.database.exchangeClientVersions()
            await pause(atLeast: backoff.next(using: &random))
        }
    }

    /// The pause is shorter while the writer has no database: a private cluster may have to be started again.
    private func pause(atLeast seconds: Double) async {
        let start = ContinuousClock.now
        let end = start + .seconds(max(seconds, KeyService.refreshSeconds))
        while ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            let isAway = (try? context.database.writer()) == nil
            if isAway && ContinuousClock.now >= start + .seconds(seconds) { return }
        }
    }

    /// A failure that is logged once. The text may contain times and process ids that differ between attempts.
    private struct RefreshFailure {
        var kind: String
        var text: String

        init(_ error: any Error) {
            switch error {
            case let error as PrivateClusterError: kind = "\(error.kind)"
            case let error as APIError: kind = error.code
            default: kind = "\(error)"
            }
            text = "\(error)"
        }
    }

    /// Refreshes the data that is cached from the database. Returns the failure, if any.
    private func refresh() async -> RefreshFailure? {
        do {
            _ = try await source.cluster?.start()
            try await keys.refresh()
            try await services.devices.refreshDevices()
            try await keys.noteUse()
            await services.devices.audit.writeTally()
            let bounds = try await context.database.store().bounds()
            publisher.trimmed(through: bounds.oldest - 1)
            // In case a notice of another server was lost.
            try context.database.feed().logReaches(StreamPosition(epoch: bounds.epoch, seq: bounds.head))
            return nil
        } catch {
            return RefreshFailure(error)
        }
    }

    private func sample() async {
        guard let store = try? context.database.store() else { return }
        let now = context.clock()
        let last = context.database.sample
        guard var sessions = try? await store.openSessions(now: now) else { return }
        let time = context.steadyClock()
        let isIdleDue = last.idleTakenAt.map { time.seconds(since: $0) >= DatabaseSupervisor.idleCountSeconds } ?? true
        let idle = isIdleDue ? try? await store.idleSessions(now: now) : nil
        sessions.idle = idle ?? last.sessions.idle
        context.database.keep(
            Database.Sample(sessions: sessions, takenAt: time, idleTakenAt: idle == nil ? last.idleTakenAt : time)
        )
    }

    private static func isRetriable(_ error: any Error) -> Bool {
        switch error {
        case let error as MigrationError: error.isRetriable
        case let error as PersistenceError: error.isRetriable
        case let error as PrivateClusterError: error.isRetriable
        default: false
        }
    }
}

extension Database {
    /// Returns when events can be committed, when an attempt has failed, or after the timeout in seconds.
    func waitUntilReady(atMost seconds: Double) async {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline, !Task.isCancelled {
            switch state {
            case .ready(let workers) where workers.writer.status.isAvailable: return
            case .failing, .unsuitable: return
            default: try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
