package import Persistence

/// Number of deliveries by outcome. Each outcome is counted by exactly one call: the one whose transaction wrote it,
/// on whichever server. If the connection breaks at the commit, no call counts it.
package typealias PushTally = [PushEnd: Int64]

/// The state of a row of `push_deliveries`.
package enum PushState: String, Sendable, CaseIterable {
    case waiting
    case claimed
    case sent
    case suppressed
    case withdrawn
    case failed
    case expired
}

extension PushState: PGEncodable, PGColumn {}

/// A final outcome of deliveries.
package struct PushEnd: Sendable, Hashable {
    /// The kind of the notice.
    package var kind: String
    package var state: PushState
    /// One word.
    package var code: String

    package init(kind: String, state: PushState, code: String) {
        self.kind = kind
        self.state = state
        self.code = code
    }
}

/// The result of removing push tokens, for example those of a person or a device.
package struct RemovedPushTokens: Sendable, Equatable {
    package var tokens: Int64
    /// The deliveries that waited for them.
    package var withdrawn: PushTally

    package init(tokens: Int64, withdrawn: PushTally = [:]) {
        self.tokens = tokens
        self.withdrawn = withdrawn
    }
}

extension PushTally {
    /// The rows of a tally, from the common table expression `ended (kind, state, code)`.
    package static let select = "SELECT kind, state, code, count(*) FROM ended GROUP BY kind, state, code"

    /// - Parameter first: the column of `kind`. Rows where it is NULL are ignored.
    package init(_ result: PQResult, from first: Int = 0) throws(PersistenceError) {
        self.init()
        for row in result.rows {
            guard let kind: String = try row.value(first) else { continue }
            let (state, code, count): (PushState, String?, Int64) = try row.values(from: first + 1)
            self[PushEnd(kind: kind, state: state, code: code ?? ""), default: 0] += count
        }
    }
}

/// SQL about the subjects of push tokens and preferences.
package enum PushRows {
    /// Whether devices `d` may receive notifications: neither revoked nor signed out.
    package static let isActive = """
        d.revoked_at IS NULL AND EXISTS (
            SELECT FROM refresh_families f WHERE f.device_id = d.id AND f.revoked_at IS NULL)
        """

    /// Whether the subject of a preference layer exists.
    package static func hasSubject(_ scope: String, _ subject: String) -> String {
        """
        CASE \(scope)
            WHEN 'session' THEN EXISTS (SELECT FROM sessions s WHERE s.id = \(subject))
            WHEN 'project' THEN EXISTS (SELECT FROM workspaces w WHERE w.id = \(subject))
            WHEN 'device' THEN EXISTS (SELECT FROM devices d WHERE d.id::text = \(subject) AND \(isActive))
            ELSE true END
        """
    }
}
