import EventModel
import HTTPModel
import Persistence

/// A migrated database of its own, as features use it. Sessions and counts are read from their rows as they are.
package final class TestStore: StoreAccess {
    package let database: TestDatabase
    private let reader: PostgresStore

    package init() throws {
        database = try TestDatabase()
        var configuration = database.configuration
        configuration.storeConnections = 1
        reader = PostgresStore(configuration: configuration, logger: quiet)
        try reader.start()
    }

    deinit { reader.stop() }

    package func store() throws(APIError) -> PostgresStore { reader }

    /// Commits events. The tables of sessions and counts hold them afterwards.
    package func append(_ events: [MonitorEvent]) async throws {
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append(events)
        harness.stop()
        guard outcomes.compactMap(\.seq).count == events.count else { throw NotStored(outcomes: outcomes) }
        try waitUntilProjected(database.configuration)
    }
}

package struct NotStored: Error {
    package let outcomes: [AppendOutcome]
}
