package import EventModel
internal import HTTPModel
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization
internal import Workers

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

/// The steps `pushed` and `delivered`.
extension InteractionService {
    /// The maximum number of steps that wait to be logged. Further ones are dropped.
    private static let maximumReaches = 20_000
    private static let batch = 200

    /// May be called on any thread; does not block. The log records the news soon after.
    package func reached(_ news: [PromptReach]) {
        guard !news.isEmpty else { return }
        reaches.withLock { reaches in
            reaches += news.prefix(max(0, InteractionService.maximumReaches - reaches.count))
        }
        signal.notify()
    }

    func logReaches() async {
        while !Task.isCancelled {
            let taken = reaches.withLock { reaches in
                defer { reaches.removeFirst(min(InteractionService.batch, reaches.count)) }
                return Array(reaches.prefix(InteractionService.batch))
            }
            guard !taken.isEmpty else { return }
            let ids = Set(taken.map(\.promptID))
            let records = try? await environment.database.use { store throws(PersistenceError) in
                try await store.prompts(ids: Array(ids))
            }
            guard let records else {
                return environment.logger.debug("steps of prompts not logged", metadata: ["count": "\(taken.count)"])
            }
            let byID = Dictionary(await stored(records).map { ($0.prompt.id, $0) }) { first, _ in first }
            let events = taken.compactMap { reach in byID[reach.promptID].flatMap { reach.event(of: $0) } }
            if !events.isEmpty { _ = await environment.submit(events) }
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
