package import Persistence

/// SQL of a table of deliveries that several servers share. A server claims due deliveries for the time of a lease, and
/// records the result of each before the lease ends. After that, any server can claim the delivery again.
///
/// The table has the columns `id`, `state` (`waiting` and `claimed` are used here), `due_at`, `created_at`, `attempts`,
/// `claimed_by` and `lease_until`. Leases use the database's clock, so that servers with different clocks agree on
/// them. All other times are the caller's.
package struct OutboxTable: Sendable {
    private let name: String

    package init(_ name: String) { self.name = name }

    /// The parameters of a statement that begins with `claim`.
    package static let claimParameters: [PGType] = [.timestamptz, .int8, .text, .float8]

    /// The tables `due`, `lapsed` and `mine` of a WITH clause; `mine` has the rows that are claimed, at most `$2` of
    /// those that are due at `$1` and as many of those whose lease has ended. `$3` server, `$4` seconds of the lease.
    package var claim: String {
        """
        due AS (
            SELECT id FROM \(name) WHERE state = 'waiting' AND due_at <= $1
            ORDER BY due_at, created_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
        ), lapsed AS (
            SELECT id FROM \(name) WHERE state = 'claimed' AND lease_until < now()
            ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED
        ), mine AS (
            UPDATE \(name) d SET state = 'claimed', claimed_by = $3, attempts = attempts + 1,
                lease_until = now() + $4 * interval '1 s'
            WHERE id IN (SELECT id FROM due UNION ALL SELECT id FROM lapsed)
            RETURNING d.*
        )
        """
    }

    /// The condition that a server still has its claim of the row `alias`.
    package func isClaimed(_ alias: String, by server: String) -> String {
        "\(alias).state = 'claimed' AND \(alias).claimed_by = \(server)"
    }

    /// Ends the leases of servers whose names begin with `$1`, except `$2`. The claiming server stays recorded until
    /// the next claim.
    package var release: Statement {
        Statement(
            "release_\(name)",
            [.text, .text],
            """
            UPDATE \(name) SET lease_until = 'epoch'
            WHERE state = 'claimed' AND starts_with(claimed_by, $1) AND claimed_by <> $2
            """
        )
    }

    /// When the next delivery is due, at the time `$1`.
    package var nextDue: Statement {
        Statement(
            "next_due_of_\(name)",
            [.timestamptz],
            """
            SELECT least((SELECT min(due_at) FROM \(name) WHERE state = 'waiting'),
                (SELECT $1 + (min(lease_until) - now()) FROM \(name) WHERE state = 'claimed'))
            """
        )
    }
}
