internal import EventModel
internal import Persistence

/// The SQL of the key of a group of requests: how it is computed, compared and shown.
///
/// In a time zone, a request's local time is its time plus the zone's offset from UTC in its span. Computing the day
/// from the zone's name would cost more than all sums.
struct UsageGroupKey {
    let by: RequestUsageQuery.Dimension
    let relation: UsageRelation
    /// Whether the zone of `$6` determines the key.
    let isZoned: Bool

    /// One group of all requests, with an empty key.
    static func none(_ relation: UsageRelation) -> UsageGroupKey { UsageGroupKey(.tool, in: .utc, of: relation) }

    init(_ by: RequestUsageQuery.Dimension, in zone: TimeZoneName, of relation: UsageRelation) {
        (self.by, self.relation) = (by, relation)
        isZoned = zone != .utc && (by == .day || by == .hour)
    }

    /// For names of statements.
    var name: String { by.rawValue + (isZoned ? "_of_zone" : "") + relation.mark }

    /// The types of the parameters beyond those of every query.
    var types: [PGType] { isZoned ? [.text] : [] }

    /// What precedes the statement: the spans of the requests, as arrays.
    var preamble: String {
        guard isZoned else { return "" }
        return """
            WITH spans AS MATERIALIZED (
                SELECT array_agg(starts ORDER BY starts) AS starts, array_agg(shift ORDER BY starts) AS shifts
                FROM zone_spans(
                    $6, greatest($1, (SELECT min(at) FROM \(relation.all))),
                    least($2, (SELECT max(at) FROM \(relation.all)) + interval '1 second')
                )
            )
            """
    }

    /// Ends a subquery that computes the key. Without it, the planner takes the key for as many values as there are
    /// requests, and sorts all of them.
    var fence: String { isZoned ? "OFFSET 0" : "" }

    /// The columns of the key, with their names. An hour that the clocks repeat is two groups.
    var columns: String { "\(bucket) AS bucket" + (isZonedHour ? ", \(UsageGroupKey.ahead) AS ahead" : "") }

    private static let ahead = "((SELECT shifts FROM spans))[width_bucket(at, (SELECT starts FROM spans))]"

    var names: String { isZonedHour ? "bucket, ahead" : "bucket" }

    /// `nil` if the most expensive group comes first.
    var order: String? {
        switch by {
        case .hour where isZoned: "bucket - ahead"
        case .day, .hour: "bucket"
        default: nil
        }
    }

    private var isZonedHour: Bool { isZoned && by == .hour }

    private var bucket: String {
        switch by {
        // The same expressions as in the statistics of the table.
        case .day: "date_bin('1 day', \(time), timestamptz '2000-01-01 00:00:00Z')"
        case .hour: "date_bin('1 hour', \(time), timestamptz '2000-01-01 00:00:00Z')"
        case .machine: "machine_id::text"
        case .project: "coalesce(workspace_id, '')"
        case .model: "coalesce(model, '')"
        // Requests do not name tools; the caller adds the counts of calls.
        case .tool: "''::text"
        case .querySource: "coalesce(query_source, '')"
        case .session: "session_id"
        // Requests of sessions do not name the key that began them.
        case .apiKey: relation == .chats ? "caller" : "''::text"
        }
    }

    /// The time that the zone's clocks show, as a time of UTC.
    private var time: String { isZoned ? "at + \(UsageGroupKey.ahead)" : "at" }

    /// The key as clients see it.
    var shown: String {
        switch by {
        case .day: "to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
        case .hour where isZoned:
            """
            to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:00:00')
                || CASE WHEN ahead < interval '0' THEN '-' ELSE '+' END
                || to_char(CASE WHEN ahead < interval '0' THEN -ahead ELSE ahead END, 'HH24:MI')
            """
        case .hour: "to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:00:00\"Z\"')"
        default: "bucket"
        }
    }

    /// The name of the machine, the project or the key.
    var displayName: String {
        switch by {
        case .machine: "(SELECT m.name FROM machines m WHERE m.id::text = bucket)"
        case .project: "(SELECT w.name FROM workspaces w WHERE w.id = bucket)"
        case .apiKey: "(SELECT k.name FROM api_keys k WHERE 'api_key:' || k.id = bucket)"
        default: "NULL::text"
        }
    }
}

/// What a sum is made of.
enum UsageRelation {
    /// Requests of sessions.
    case requests
    /// Turns of plain chats.
    case chats

    /// Each request counts once for its session and machine.
    var counted: String { self == .requests ? "usage_counted" : "usage_of_chats" }
    var all: String { self == .requests ? "usage_requests" : "usage_of_chats" }
    /// For names of statements.
    var mark: String { self == .requests ? "" : "_of_chats" }
}
