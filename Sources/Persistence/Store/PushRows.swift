/// How many deliveries came to which end. Of an end exactly one call tells: the one whose transaction wrote it, on
/// whichever server that ran. Where the connection breaks at the commit, none does.
public typealias PushTally = [PushEnd: Int64]

/// Where a row of `push_deliveries` stands.
public enum PushState: String, Sendable, CaseIterable {
    case waiting
    case claimed
    case sent
    case suppressed
    case withdrawn
    case failed
    case expired
}

/// An end of deliveries.
public struct PushEnd: Sendable, Hashable {
    /// The notice's.
    public var kind: String
    public var state: PushState
    /// One word.
    public var code: String

    public init(kind: String, state: PushState, code: String) {
        self.kind = kind
        self.state = state
        self.code = code
    }
}

/// What became of removing push tokens, as by a person or with their device.
public struct RemovedPushTokens: Sendable, Equatable {
    public var tokens: Int64
    /// What waited for them.
    public var withdrawn: PushTally

    public init(tokens: Int64, withdrawn: PushTally = [:]) {
        self.tokens = tokens
        self.withdrawn = withdrawn
    }
}

extension PushTally {
    /// The rows of a tally, from the common table expression `ended (kind, state, code)`.
    package static let select = "SELECT kind, state, code, count(*) FROM ended GROUP BY kind, state, code"

    /// - Parameter first: the column of `kind`; rows where it is NULL say nothing.
    package init(_ result: PQResult, from first: Int = 0) throws(PersistenceError) {
        self.init()
        for row in result.rows {
            guard let kind = row.optionalText(first) else { continue }
            guard let state = PushState(rawValue: try row.text(first + 1)) else {
                throw PersistenceError(.malformedReply, "the state of a push is not known")
            }
            let end = PushEnd(kind: kind, state: state, code: row.optionalText(first + 2) ?? "")
            self[end, default: 0] += try row.int64(first + 3)
        }
    }
}

/// SQL about what push tokens and preferences belong to.
package enum PushRows {
    /// Whether devices `d` may be shown anything: neither revoked nor signed out.
    package static let isActive = """
        d.revoked_at IS NULL AND EXISTS (
            SELECT FROM refresh_families f WHERE f.device_id = d.id AND f.revoked_at IS NULL)
        """

    /// Whether there is what a layer is for.
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
