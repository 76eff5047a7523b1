package import EventModel
internal import HTTPModel
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization

/// Reports that a push service has accepted a prompt for a device, or that a device's socket has accepted it.
package struct PromptReach: Sendable {
    package var promptID: String
    package var step: PromptUpdate.Step
    package var device: DeviceID
    package var at: Timestamp

    package init(_ step: PromptUpdate.Step, of promptID: String, on device: DeviceID, at time: Timestamp) {
        (self.promptID, self.step, self.device, at) = (promptID, step, device, time)
    }
}

/// The steps `pushed` and `delivered` that the log does not contain yet.
final class PromptReaches: Sendable {
    /// Further ones are dropped.
    private static let maximum = 20_000
    private static let batch = 200

    private let waiting = Mutex<[PromptReach]>([])

    /// Any thread; does not block.
    func add(_ news: [PromptReach]) {
        waiting.withLock { $0 += news.prefix(max(0, PromptReaches.maximum - $0.count)) }
    }

    func write(to log: PromptLog) async {
        while !Task.isCancelled {
            let taken = waiting.withLock { waiting in
                defer { waiting.removeFirst(min(PromptReaches.batch, waiting.count)) }
                return Array(waiting.prefix(PromptReaches.batch))
            }
            guard !taken.isEmpty else { return }
            let ids = Set(taken.map(\.promptID))
            let records = try? await log.environment.database.use { store throws(PersistenceError) in
                try await store.prompts(ids: Array(ids))
            }
            guard let records else {
                let count: Logger.Metadata = ["count": "\(taken.count)"]
                return log.environment.logger.debug("steps of prompts not logged", metadata: count)
            }
            let stored = await log.reader.stored(records)
            let byID = Dictionary(stored.map { ($0.prompt.id, $0) }) { first, _ in first }
            let events = taken.compactMap { reach in byID[reach.promptID].flatMap { reach.event(of: $0) } }
            if !events.isEmpty { _ = await log.environment.submit(events) }
        }
    }
}

extension PromptReach {
    /// Returns `nil` if the prompt has the step already.
    fileprivate func event(of record: PromptRecord) -> MonitorEvent? {
        let device = String(self.device.rawValue)
        guard !record.prompt.steps.contains(where: { $0.name == step.rawValue && $0.deviceID == device }) else {
            return nil
        }
        return PromptEvents.update(record, step, key: device, at: at, deviceID: device)
    }
}
