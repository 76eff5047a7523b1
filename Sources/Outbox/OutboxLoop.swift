package import EventModel
package import Logging
package import Workers

/// A loop that delivers what is due in a table, and sleeps until more is. It waits for the database while it is
/// unavailable.
package struct OutboxLoop: Sendable {
    /// Maximum sleep in seconds: another server may have left deliveries.
    static let longestSleepSeconds = 15.0
    private static let shortestSleepSeconds = 0.05

    private let signal: AsyncSignal
    private let trouble: Logger.Message
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - signal: ends a sleep.
    ///   - trouble: logged once when deliveries begin to fail.
    package init(
        _ signal: AsyncSignal,
        trouble: Logger.Message,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.signal, self.trouble, self.logger, self.clock) = (signal, trouble, logger, clock)
    }

    /// Returns when the task is cancelled.
    ///
    /// - Parameters:
    ///   - deliver: returns whether more may be due.
    ///   - nextDue: when more is due; `nil` if that is not known, or if nothing can be delivered now.
    package func run(deliver: () async throws -> Bool, nextDue: () async throws -> Timestamp?) async {
        var retries = RetryLogger()
        while !Task.isCancelled {
            do {
                let hasMore = try await deliver()
                retries.succeeded()
                if !hasMore { await signal.wait(atMost: try await sleepSeconds(until: nextDue)) }
            } catch {
                await retries.sleep(after: error, trouble, logger)
            }
        }
    }

    private func sleepSeconds(until nextDue: () async throws -> Timestamp?) async throws -> Double {
        guard let due = try await nextDue() else { return OutboxLoop.longestSleepSeconds }
        return min(max(due.seconds(since: clock()), OutboxLoop.shortestSleepSeconds), OutboxLoop.longestSleepSeconds)
    }
}

extension OutboxLoop {
    private static let trimSeconds = 3600
    private static let retrySeconds = 30

    /// Deletes old rows every hour, until the task is cancelled. Runs on any server of a database, so repeating it must
    /// be harmless. The other loops log failures of the database.
    package static func trim(_ delete: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await delete()
                try? await Task.sleep(for: .seconds(trimSeconds))
            } catch {
                try? await Task.sleep(for: .seconds(retrySeconds))
            }
        }
    }
}
