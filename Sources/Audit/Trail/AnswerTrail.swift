package import Logging
package import Persistence

/// Adds entries to the chain of answers and messages.
package struct AnswerTrail: Sendable {
    private let database: any StoreAccess
    private let logger: Logger

    package init(_ database: any StoreAccess, logger: Logger) {
        (self.database, self.logger) = (database, logger)
    }

    /// Entries that the chain has are skipped. Returns false if the chain may lack some of the others, which is logged.
    @discardableResult
    package func keep(_ entries: [TrailEntry]) async -> Bool {
        guard !entries.isEmpty else { return true }
        do {
            try await database.store().record(entries)
            return true
        } catch {
            logger.error("audit entries not written", metadata: ["error": "\(error)"])
            return false
        }
    }
}
