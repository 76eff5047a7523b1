internal import EventModel
internal import Persistence

/// Sessions whose machine a batch has shown.
///
/// A transcript can name a session that no machine has begun yet as the origin of its requests; their rows then have
/// that session's id. If another machine begins it, they get the id under which the sender keeps it, as
/// `OriginSessions` would have given them. Keys contain Claude Code's own ids and stay the same, and so do the pairs of
/// rows, which are of one machine.
struct SeparatedSessions {
    /// Sessions that need not be looked at again. Beyond this number all are forgotten, which costs a look each.
    private static let mostKnown = 10_000

    private var known: Set<String> = []
    private var shown: [String: MachineID] = [:]

    var count: Int { shown.count }

    mutating func fold(_ events: [CommittedEvent]) {
        for event in events {
            let machine = event.event.machine
            guard let session = event.event.sessionID, !known.contains(session),
                SessionOwnership.claudeID(session, on: machine) == session
            else { continue }
            shown[session] = machine
        }
    }

    /// To be run after the rows of requests and copies were written and paired.
    var statements: [(Statement, Parameters)] {
        guard !shown.isEmpty else { return [] }
        let sessions = shown.sorted { $0.key < $1.key }
        let parameters = Parameters(of: sessions.map(\.key), sessions.map(\.value))
        return [SeparatedSessions.separateRequests, SeparatedSessions.separateCopies].map { ($0, parameters) }
    }

    mutating func written() {
        if known.count + shown.count > SeparatedSessions.mostKnown { known = [] }
        known.formUnion(shown.keys)
        shown = [:]
    }

    /// Nothing was written.
    mutating func forget() { shown = [:] }

    private static let separateRequests = Statement(
        "separate_usage_requests",
        [.textArray, .int8Array],
        """
        UPDATE usage_requests u SET session_id = u.session_id || '@' || u.machine_id
        FROM unnest($1, $2) AS s (id, machine_id) WHERE u.session_id = s.id AND u.machine_id <> s.machine_id
        """
    )

    private static let separateCopies = Statement(
        "separate_usage_copies",
        [.textArray, .int8Array],
        """
        WITH separated AS (
            DELETE FROM usage_copies u USING unnest($1, $2) AS s (id, machine_id)
            WHERE u.session_id = s.id AND u.machine_id <> s.machine_id
            RETURNING u.session_id || '@' || u.machine_id AS session_id, u.key, u.machine_id, u.first_seq
        )
        INSERT INTO usage_copies (session_id, key, machine_id, first_seq)
        SELECT session_id, key, machine_id, first_seq FROM separated
        \(UsageProjectionStatements.keepFirst)
        """
    )
}
