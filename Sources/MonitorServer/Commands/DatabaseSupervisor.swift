internal import EventModel
internal import Listener
internal import Logging
internal import Persistence
internal import PrivateCluster
internal import WSFanout

/// Brings the database to the point where events can be committed, however long that takes, and then keeps what is read
/// from it fresh.
struct DatabaseSupervisor {
    private static let longestPauseSeconds = 10.0

    let source: DatabaseSource
    let context: ServerContext
    let keys: KeyService
    let loops: [NetworkLoop]

    /// Returns when the task is cancelled; throws only what no retry can mend.
    func run() async throws {
        var pause = 0.25
        while !Task.isCancelled {
            do {
                try await bringUp()
                break
            } catch {
                guard DatabaseSupervisor.isRetriable(error) else { throw error }
                context.database.become(.failing("\(error)"))
                context.logger.warning("the database is not ready", metadata: [LogKey.error: "\(error)"])
                try? await Task.sleep(for: .seconds(pause))
                pause = min(pause * 2, DatabaseSupervisor.longestPauseSeconds)
            }
        }
        await attend()
    }

    private func bringUp() async throws {
        let persistence = try await source.persistence()
        _ = try await onOwnThread { [logger = context.logger] () throws(MigrationError) in
            try Migrator(configuration: persistence, logger: logger).run()
        }
        let writer = EventWriter(
            configuration: persistence,
            logger: context.logger,
            clock: context.clock,
            onCommit: { [loops] batch in DatabaseSupervisor.fanOut(batch, to: loops) }
        )
        let reader = EventReader(configuration: persistence, logger: context.logger)
        try reader.start()
        try await keys.load(from: reader)
        try await context.devices.load(from: reader)
        let bounds = try await reader.bounds()
        let window = StreamWindow(epoch: bounds.epoch, oldest: bounds.oldest - 1, head: bounds.head)
        for loop in loops {
            loop.post { loop in (loop.handler as? LoopHandler)?.hub.restart(window) }
        }
        let maintenance = MaintenanceWorker(
            configuration: persistence,
            logger: context.logger,
            clock: context.clock
        )
        try maintenance.start()
        try writer.start()
        context.database.become(.ready(Database.Workers(writer: writer, reader: reader, maintenance: maintenance)))
        context.logger.info("the database is ready")
    }

    /// Encodes each event once and hands the batch to every loop. On the writer's thread.
    private static func fanOut(_ batch: CommittedBatch, to loops: [NetworkLoop]) {
        let encoded = batch.events.map { EncodedEvent($0, epoch: batch.epoch) }
        for loop in loops {
            loop.post { loop in (loop.handler as? LoopHandler)?.hub.publish(encoded) }
        }
    }

    private func attend() async {
        while !Task.isCancelled {
            try? await keys.refresh()
            try? await context.devices.refreshDevices()
            await sample()
            _ = try? await source.cluster?.start()
            try? await Task.sleep(for: .seconds(KeyService.refreshSeconds))
        }
    }

    private func sample() async {
        guard let reader = try? context.database.reader() else { return }
        let now = context.clock()
        guard let statistics = try? await reader.statistics(now: now) else { return }
        context.database.keep(statistics, at: now)
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
