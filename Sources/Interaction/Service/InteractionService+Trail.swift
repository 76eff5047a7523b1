package import Audit
package import HTTPModel
internal import Persistence

extension InteractionService {
    /// The audit chain after the entry with this id.
    package func trail(after id: Int64, limit: Int) async throws(APIError) -> [TrailRecord] {
        try await environment.database.use { store throws(PersistenceError) in
            try await store.trail(after: id, limit: limit)
        }
    }
}
