internal import Audit
internal import EventModel
package import HTTPModel
internal import Logging
internal import Persistence
package import Sessions
internal import Synchronization

extension InteractionService {
    /// One prompt, as anybody who may read sees it.
    package func prompt(_ id: String) async throws(APIError) -> PromptRecord {
        guard let record = try await record(id) else { throw .promptNotFound }
        return await completed([record])[0]
    }

    /// One prompt with nothing masked. The log and the audit chain name the reader before this returns. Only the memory
    /// of the server for which the hook waits has the unmasked request.
    package func reveal(_ id: String, to responder: Responder) async throws(APIError) -> PromptRecord {
        guard let found = try await record(id) else { throw .promptNotFound }
        try responder.require(on: found.prompt.machine)
        let deviceID = responder.device?.id
        guard found.prompt.state == .open, let hold = table.withLock({ $0.hold(of: id) }) else { throw .notAnswerable }
        guard hold.policy.allows(device: deviceID) else { throw .otherDevicesOnly }
        var shown = await completed([found])[0]
        guard !hold.content.maskedMembers.isEmpty else { return shown }
        let entry = TrailEntry.revealed(
            found.prompt,
            deviceID: deviceID,
            name: responder.device?.name,
            at: environment.clock()
        )
        try await environment.database.use { store throws(PersistenceError) in try await store.record([entry]) }
        guard await log(.revealed, of: found, key: deviceID ?? "operator", deviceID: deviceID) else {
            throw .databaseUnavailable(retryAfter: 2)
        }
        shown.content = hold.content.revealed
        return shown
    }
}

extension APIError {
    static let otherDevicesOnly = insufficientScope(
        "The machine's own rules let other devices answer this prompt, not this one."
    )
}
