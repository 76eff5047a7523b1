import EventModel

/// SQL of the daily statistics. Counts come from `event_counts` and from the end of the log that it does not hold
/// yet; the rest comes from the sessions that began in the period.
enum UsageStatements {
    /// `$1` and `$2`: the beginning of the first day and of the day after the last; `$3` and `$4`: a machine and a
    /// workspace, or NULL; `$5`: the time zone of the days.
    ///
    /// `event_counts` has a row for each quarter of an hour, at which days of all zones begin. Within a span, the
    /// zone's clocks are a fixed time ahead of UTC, so that a row's day costs two additions.
    static func usage(_ by: UsageQuery.Dimension) -> Statement {
        Statement(
            "usage_\(by.rawValue)",
            [.timestamptz, .timestamptz, .int8, .text, .text],
            """
            WITH spans AS MATERIALIZED (
                SELECT starts AT TIME ZONE 'UTC' AS starts, ends AT TIME ZONE 'UTC' AS ends, shift
                FROM zone_spans($5, $1, $2)
            ), part AS (
                SELECT \(shownKey(by)) AS key, sum(events) AS events, sum(prompts) AS prompts,
                    sum(tool_calls) AS tool_calls, sum(tool_failures) AS tool_failures
                FROM (
                    SELECT \(countKey(by)) AS key, sum(events) AS events, sum(prompts) AS prompts,
                        sum(tool_calls) AS tool_calls, sum(tool_failures) AS tool_failures
                    FROM spans JOIN event_counts ON day + quarter * interval '15 minutes' >= starts
                        AND day + quarter * interval '15 minutes' < ends
                    WHERE day >= ($1 AT TIME ZONE 'UTC')::date AND day <= ($2 AT TIME ZONE 'UTC')::date
                        AND \(countCondition(by)) AND \(filter)
                    GROUP BY 1
                ) AS summed
                GROUP BY 1
                UNION ALL
                SELECT \(eventKey(by)), count(*), count(*) FILTER (WHERE type = 'prompt'),
                    count(*) FILTER (WHERE type IN ('tool', 'tool_failure')),
                    count(*) FILTER (WHERE type = 'tool_failure')
                FROM events
                WHERE received_at >= $1 AND received_at < $2
                    AND seq > (SELECT p.seq FROM projections p WHERE p.name = '\(EventCountProjection.name)')
                    AND seq <= (SELECT last_seq FROM log_head) AND \(eventCondition(by))
                    AND \(filter)
                GROUP BY 1
            ), counted AS (
                SELECT key, sum(events) AS events, sum(prompts) AS prompts, sum(tool_calls) AS tool_calls,
                    sum(tool_failures) AS tool_failures
                FROM part GROUP BY key
            ), begun AS (
                SELECT \(sessionKey(by)) AS key, count(*) AS sessions, sum(message_count) AS messages,
                    sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cache_read_tokens) AS cache_read,
                    sum(cache_creation_tokens) AS cache_creation, sum(total_cost) AS cost
                FROM sessions WHERE started_at >= $1 AND started_at < $2 AND \(sessionCondition(by))
                    AND \(filter)
                GROUP BY 1
            )
            SELECT key, \(name(by)),
                \(sums("events", "prompts", "tool_calls", "tool_failures", "sessions", "messages")),
                \(sums("input", "output", "cache_read", "cache_creation")), coalesce(cost, 0)::double precision
            FROM counted FULL JOIN begun USING (key)
            ORDER BY \(by == .day ? "key" : "coalesce(events, 0) DESC, coalesce(sessions, 0) DESC, key")
            """
        )
    }

    private static let filter =
        "($3::bigint IS NULL OR machine_id = $3) AND ($4::text IS NULL OR workspace_id = $4)"

    private static func sums(_ names: String...) -> String {
        names.map { "coalesce(\($0), 0)::bigint" }.joined(separator: ", ")
    }

    private static func countKey(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .day: "(day + quarter * interval '15 minutes' + shift)::date"
        case .machine: "machine_id::text"
        case .project: "workspace_id"
        case .model: "''"
        case .tool: "tool_name"
        }
    }

    private static func shownKey(_ by: UsageQuery.Dimension) -> String {
        by == .day ? "to_char(key, 'YYYY-MM-DD')" : "key"
    }

    private static func countCondition(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .day, .machine, .project: "true"
        case .model: "false"
        case .tool: "tool_name <> ''"
        }
    }

    private static func eventKey(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .day: "to_char(received_at AT TIME ZONE $5, 'YYYY-MM-DD')"
        case .machine: "machine_id::text"
        case .project: "coalesce(workspace_id, '')"
        case .model: "''"
        case .tool: "tool_name"
        }
    }

    private static func eventCondition(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .day, .machine, .project: "true"
        case .model: "false"
        case .tool: "tool_name IS NOT NULL"
        }
    }

    private static func sessionKey(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .day: "to_char(started_at AT TIME ZONE $5, 'YYYY-MM-DD')"
        case .machine: "machine_id::text"
        case .project: "coalesce(workspace_id, '')"
        case .model: "coalesce(current_model, '')"
        case .tool: "''"
        }
    }

    private static func sessionCondition(_ by: UsageQuery.Dimension) -> String {
        by == .tool ? "false" : "true"
    }

    private static func name(_ by: UsageQuery.Dimension) -> String {
        switch by {
        case .machine: "(SELECT m.name FROM machines m WHERE m.id::text = key)"
        case .project: "(SELECT w.name FROM workspaces w WHERE w.id = key)"
        case .day, .model, .tool: "NULL::text"
        }
    }
}

extension UsageRow {
    /// Decodes a row of `UsageStatements.usage`.
    init(_ row: PQRow, by: UsageQuery.Dimension) throws(PersistenceError) {
        let (key, name): (String, String?) = try row.values()
        let events = try row.make(from: 2, Events.init(total:prompts:toolCalls:toolFailures:))
        let sessions = try row.make(from: 6, Sessions.init(count:messages:tokens:cost:))
        self.init(
            key: key,
            name: name,
            events: by == .model ? nil : events,
            sessions: by == .tool ? nil : sessions
        )
    }
}
