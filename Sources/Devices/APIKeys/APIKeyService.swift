package import API
internal import Access
internal import Audit
package import EventModel
package import HTTPModel
internal import Persistence

/// Creates, lists and revokes the keys of programs.
package struct APIKeyService: Sendable {
    let keys: KeyService
    /// Closes the channels of a key that was revoked.
    let onRevocation: @Sendable () -> Void

    private var database: any StoreAccess { keys.database }

    package init(_ keys: KeyService, onRevocation: @escaping @Sendable () -> Void) {
        (self.keys, self.onRevocation) = (keys, onRevocation)
    }

    /// Only this answer contains the key's text.
    package func create(
        _ wish: NewAPIKey,
        _ caller: Caller
    ) async throws(APIError) -> (record: APIKeyRecord, key: String) {
        do throws(APIError) {
            try allow(wish, caller)
        } catch {
            await keys.audit.record(.createAPIKey, on: wish.name, .forbidden, caller)
            throw error
        }
        let grants = Grants(wish.capabilities, on: try await database.machines(named: wish.machines))
        var random = SystemRandomNumberGenerator()
        let key = AccessKey.generate(.api, using: &random)
        let made = try await database.use { store throws(PersistenceError) in
            try await store.createAPIKey(
                wish,
                grants,
                prefix: key.shownPrefix,
                sha256: key.digest.bytes,
                by: caller.principal?.auditName ?? ""
            )
        }
        guard let record = made else {
            throw APIError(
                .conflict,
                status: 409,
                code: "name_taken",
                message: "A valid API key has this name already.",
                param: "name"
            )
        }
        await keys.audit.record(.createAPIKey, on: "api_key:\(record.grant.id)", .granted, caller)
        // If this fails, the next refresh adds the key. The key must still be returned: its text is stored nowhere.
        try? await keys.refresh()
        return (record, key.text)
    }

    /// A device that administers could make itself a key that drives machines, and that remains after the device is
    /// revoked.
    private func allow(_ wish: NewAPIKey, _ caller: Caller) throws(APIError) {
        guard wish.capabilities.contains(.control), caller.principal?.holder != .admin else { return }
        throw .insufficientScope("Only the admin token makes an API key that has 'control'.", param: "capabilities")
    }

    package func list() async throws(APIError) -> [APIKeyRecord] {
        try await database.use { store throws(PersistenceError) in try await store.apiKeys() }
    }

    /// Returns `nil` if no valid key has this id or name. What the key has opened ends at once on this server, and
    /// within `KeyService.refreshSeconds` on others.
    package func revoke(_ idOrName: String, _ caller: Caller) async throws(APIError) -> APIKeyRecord? {
        let revoked = try await database.use { store throws(PersistenceError) in
            try await store.revokeAPIKey(idOrName)
        }
        guard let revoked else { return nil }
        await keys.audit.record(.revokeAPIKey, on: "api_key:\(revoked.grant.id)", .granted, caller)
        try? await keys.refresh()
        onRevocation()
        return revoked
    }
}
