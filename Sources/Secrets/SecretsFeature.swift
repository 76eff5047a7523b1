package import API
package import Audit
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Signing

extension Feature {
    /// The keys that seal stored secrets.
    ///
    /// - Parameter columns: where all features store sealed secrets.
    package static func secrets(_ vault: SecretVault, columns: [SealedColumn], audit: AccessAudit) -> Feature {
        var feature = Feature("secrets")
        let routes = SecretRoutes(vault: vault, rotation: SecretRotation(vault: vault, columns: columns), audit: audit)
        feature.routes = routes.routes
        feature.schemas = SecretRoutes.schemas
        return feature
    }
}

/// `/v1/secrets`: the keys of stored secrets. No answer has a key or a secret.
struct SecretRoutes: Sendable {
    /// Maximum seconds of a rotation's answer.
    private static let longest = 600.0

    let vault: SecretVault
    let rotation: SecretRotation
    let audit: AccessAudit

    var routes: [Route] {
        [
            Route(.get, "/v1/secrets/keys", .administer, handler: list)
                .described("The keys that seal stored secrets, by their ids.", as: "SecretKeys"),
            Route(.post, "/v1/secrets/keys", .administer, handler: prepare)
                .described("Adds a key to secrets.key for the next rotation.", as: "PreparedSecretKey")
                .described { $0.named("prepareSecretKey") },
            Route(.post, "/v1/secrets/rotate", .administer, handler: rotate).waiting(SecretRoutes.wait)
                .described("Seals all stored secrets with a new key.", as: "SecretRotation")
                .described { $0.named("rotateSecretKey") },
        ]
    }

    @Sendable private static func wait(_ request: RouteRequest) -> AnswerWait? {
        let error = APIError.unavailable("rotation_takes_long", "Rotate again to go on.", retryAfter: 60)
        return AnswerWait(seconds: longest, overdue: error.response(requestID: request.http.requestID))
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(SecretRoutes.keys, try await shown())
    }

    private func shown() async throws(APIError) -> [ShownSecretKey] {
        let known = try await vault.storedKeys()
        let here = vault.keyIDs
        let used = known.map { key in
            let state: ShownSecretKey.State = !here.contains(key.id) ? .missing : key.isCurrent ? .current : .old
            return ShownSecretKey(id: key.id, state: state)
        }
        let spare = here.filter { id in !known.contains { $0.id == id } }
        return used + spare.map { ShownSecretKey(id: $0, state: .prepared) }
    }

    @Sendable private func prepare(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let key = try await vault.spareKey(besides: try await vault.storedKeys())
        await record(.prepareSecretKey, key.id, request)
        return .json(SecretRoutes.prepared, key.id)
    }

    @Sendable private func rotate(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let report = try await rotation.run()
        await record(.rotateSecretKey, report.keyID, request)
        return .json(SecretRoutes.report, report)
    }

    private func record(_ action: AuditAction, _ key: String, _ request: RouteRequest) async {
        let caller = request.caller
        await audit.record(
            AuditEntry(
                at: audit.clock(),
                actor: caller.principal?.auditName ?? "anonymous",
                action: action.rawValue,
                object: key,
                result: AuditResult.granted.word,
                peer: caller.peer,
                requestID: caller.requestID
            )
        )
    }

    private static let keys = ObjectShape<[ShownSecretKey]>("SecretKeys") { it in
        it.list("keys", of: ShownSecretKey.shape) { $0 }
    }

    private static let prepared = ObjectShape<String>("PreparedSecretKey") { it in
        it.member("id") { $0 }
        it.constant("state", ShownSecretKey.State.prepared.rawValue)
    }

    private static let report = ObjectShape<SecretRotation.Report>("SecretRotation") { it in
        it.member("id") { $0.keyID }
        it.member("resumed") { $0.isResumed }
        it.member("resealed") { $0.resealed }
        it.member("unreadable") { $0.unreadable }
        it.member("removed_keys") { $0.removedKeys }
    }

    static let schemas = keys.definitions + prepared.definitions + report.definitions
}

private struct ShownSecretKey: Sendable {
    enum State: String, CaseIterable, Sendable {
        /// New secrets are sealed with it.
        case current
        /// Secrets that are not resealed yet are sealed with it.
        case old
        /// The next rotation uses it.
        case prepared
        /// It seals secrets, and this server does not have it.
        case missing
    }

    var id: String
    var state: State

    static let shape = ObjectShape<ShownSecretKey>("SecretKey") { it in
        it.member("id") { $0.id }
        it.word("state") { $0.state }
    }
}
