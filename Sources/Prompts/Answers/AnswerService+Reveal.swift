package import API
internal import Audit
internal import EventModel
package import HTTPModel
internal import Persistence
package import Sessions

extension AnswerService {
    /// One prompt with nothing masked. The log and the audit chain name the reader before this returns. Only the memory
    /// of the server for which the hook waits has the unmasked request.
    package func reveal(_ id: String, to responder: Responder) async throws(APIError) -> PromptRecord {
        guard let found = try await reader.record(id) else { throw .promptNotFound }
        try responder.require(on: found.prompt.machine)
        let deviceID = responder.device?.id
        guard found.prompt.state == .open, let hold = reader.hooks.hold(of: id) else { throw .notAnswerable }
        guard hold.policy.allows(device: deviceID) else { throw .otherDevicesOnly }
        var shown = await reader.completed(found)
        guard !hold.content.maskedMembers.isEmpty else { return shown }
        let entry = TrailEntry.revealed(
            found.prompt,
            deviceID: deviceID,
            name: responder.device?.name,
            at: environment.clock()
        )
        try await environment.database.use { store throws(PersistenceError) in try await store.record([entry]) }
        guard await log.add(.revealed, of: found, key: deviceID ?? "operator", deviceID: deviceID) else {
            throw .databaseUnavailable(retryAfter: 2)
        }
        shown.content = hold.content.revealed
        return shown
    }
}
