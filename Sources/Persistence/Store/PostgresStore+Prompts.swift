package import EventModel
package import Sessions

extension PostgresStore {
    package func prompts(_ query: PromptQuery) async throws(PersistenceError) -> PromptPage {
        try await runProjected { connection throws(PersistenceError) in
            let (statement, parameters) = PromptSelection.page(query)
            let prompts = try connection.query(statement, parameters).map(PromptSelection.prompt)
            let limit = PromptSelection.limit(query)
            var total: Int64?
            if query.offset != nil {
                let (statement, parameters) = PromptSelection.count(query)
                total = try connection.query(statement, parameters).firstValue()
            }
            return PromptPage(
                prompts: prompts.prefix(limit).compactMap { $0 },
                hasMore: prompts.count > limit,
                total: total
            )
        }
    }

    package func prompt(id: String) async throws(PersistenceError) -> PromptRecord? {
        try await runProjected { connection throws(PersistenceError) in
            guard let row = try connection.query(PromptSelection.one, Parameters(of: id)).firstRow else { return nil }
            return try PromptSelection.prompt(row)
        }
    }

    /// Returns the prompts that exist, in no order.
    package func prompts(ids: [String]) async throws(PersistenceError) -> [PromptRecord] {
        try await runProjected { connection throws(PersistenceError) in
            let rows = try connection.query(PromptSelection.some, Parameters(of: ids))
            return try rows.map(PromptSelection.prompt).compactMap(\.self)
        }
    }

    /// At most `limit` prompts that were opened since `time` and have a change without a `prompt_*` event in the log.
    package func unannouncedPrompts(
        since time: Timestamp,
        limit: Int
    ) async throws(PersistenceError) -> [PromptRecord] {
        try await runProjected { connection throws(PersistenceError) in
            let rows = try connection.query(PromptSelection.unannounced, Parameters(of: time, Int64(limit)))
            return try rows.map(PromptSelection.prompt).compactMap(\.self)
        }
    }

    /// The `tool_use_id` that clients know, for each of these permission requests whose prompt is stored. Does not wait
    /// for the projection.
    package func promptNames(of requests: [EventID]) async throws(PersistenceError) -> [EventID: String] {
        guard !requests.isEmpty else { return [:] }
        let events = Dictionary(requests.map { (Prompt.id($0), $0) }, uniquingKeysWith: { first, _ in first })
        return try await run { connection throws(PersistenceError) in
            var names: [EventID: String] = [:]
            for row in try connection.query(PromptSelection.names, Parameters(of: Array(events.keys))).rows {
                let (id, requestID, name): (String, String?, String?) = try row.values()
                for event in [id, requestID].compactMap({ $0 }).compactMap({ events[$0] }) { names[event] = name }
            }
            return names
        }
    }

    /// The prompt that clients know by this id: the prompt's own, or Claude's id of the call. If several have it, an
    /// open one comes first, then the newest.
    package func prompt(named name: String) async throws(PersistenceError) -> PromptRecord? {
        try await runProjected { connection throws(PersistenceError) in
            for statement in [PromptSelection.openNamed, PromptSelection.one, PromptSelection.closedNamed] {
                if let row = try connection.query(statement, Parameters(of: name)).firstRow {
                    return try PromptSelection.prompt(row)
                }
            }
            return nil
        }
    }

    /// The prompt of a call, by its `tool_use_id`. Prompts of other machines do not count, whatever ids they have.
    ///
    /// - Parameter start: the earliest time at which the prompt can have been opened.
    package func prompt(
        ofToolUse id: String,
        on machine: MachineID,
        since start: Timestamp
    ) async throws(PersistenceError) -> PromptRecord? {
        try await runProjected { connection throws(PersistenceError) in
            let rows = try connection.query(PromptSelection.ofToolUse, Parameters(of: id, machine, start))
            return try rows.firstRow.flatMap(PromptSelection.prompt)
        }
    }
}

/// `PromptQuery` as SQL, and its rows as prompts.
private enum PromptSelection {
    private static let columns = "SELECT p.prompt, s.machine_name, s.reported_name"
    private static let tables = "FROM prompts p JOIN sessions s ON s.id = p.session_id"

    static let one = Statement("prompt", [.text], "\(columns) \(tables) WHERE p.id = $1")

    static let unannounced = Statement(
        "unannounced_prompts",
        [.timestamptz, .int8],
        "\(columns) \(tables) WHERE p.announced < p.phase AND p.opened_at > $1 ORDER BY p.opened_at LIMIT $2"
    )

    static let some = Statement("prompts_of_ids", [.textArray], "\(columns) \(tables) WHERE p.id = ANY ($1)")

    static let names = Statement(
        "prompt_names",
        [.textArray],
        """
        SELECT p.id, p.request_id, p.prompt::jsonb ->> 'tool_use_id' FROM prompts p
        WHERE p.id = ANY ($1) OR p.request_id = ANY ($1)
        """
    )

    static let openNamed = Statement(
        "open_prompt_named",
        [.text],
        """
        \(columns) \(tables)
        WHERE p.state = 'open' AND (p.id = $1 OR p.prompt::jsonb ->> 'tool_use_id' = $1) LIMIT 1
        """
    )

    /// No index has the ids of calls. A late answer comes soon after the prompt's end, so only the latest prompts are
    /// searched.
    static let closedNamed = Statement(
        "closed_prompt_named",
        [.text],
        """
        \(columns)
        FROM (SELECT * FROM prompts ORDER BY opened_at DESC, id DESC LIMIT 2000) p
            JOIN sessions s ON s.id = p.session_id
        WHERE p.state <> 'open' AND p.prompt::jsonb ->> 'tool_use_id' = $1
        ORDER BY p.opened_at DESC, p.id DESC LIMIT 1
        """
    )

    static let ofToolUse = Statement(
        "prompt_of_tool_use",
        [.text, .int8, .timestamptz],
        """
        \(columns) \(tables)
        WHERE p.opened_at > $3 AND p.machine_id = $2 AND p.prompt::jsonb ->> 'tool_use_id' = $1
        ORDER BY p.opened_at DESC, p.id DESC LIMIT 1
        """
    )

    /// Reads one extra row to find out whether more exist.
    static func page(_ query: PromptQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "prompts_", "\(columns) \(tables)")
        if let cursor = query.cursor {
            selection.add("c", "(p.opened_at, p.id)", "<", cursor.time, cursor.id)
        }
        let statement = selection.statement(
            "",
            "ORDER BY p.opened_at DESC, p.id DESC",
            limit: Int64(limit(query)) + 1,
            offset: query.offset.map { Int64(max(0, $0)) }
        )
        return (statement, selection.parameters)
    }

    static func count(_ query: PromptQuery) -> (Statement, Parameters) {
        var selection = filtered(query, "count_prompts_", "SELECT count(*) \(tables)")
        let statement = selection.statement("", "")
        return (statement, selection.parameters)
    }

    static func limit(_ query: PromptQuery) -> Int { min(max(query.limit, 1), 200) }

    /// Returns `nil` if the prompt cannot be decoded.
    static func prompt(_ row: PQRow) throws(PersistenceError) -> PromptRecord? {
        guard let prompt = try Prompt(row: row, 0) else { return nil }
        let (machineName, reportedName): (String, String?) = try row.values(from: 1)
        return PromptRecord(prompt: prompt, machineName: machineName, reportedMachineName: reportedName)
    }

    private static func filtered(_ query: PromptQuery, _ key: String, _ source: String) -> Selection {
        var selection = Selection(key, source)
        // The constant lets the planner use the index of open prompts.
        if query.state == .open {
            selection.add("o", "p.state = 'open'")
        } else {
            selection.add("s", "p.state = $", query.state)
        }
        selection.add("k", "p.kind = $", query.kind)
        selection.add("i", "p.session_id = $", query.sessionID)
        switch query.machine {
        case .machine(let id): selection.add("m", "p.machine_id = $", id)
        case .reported(let name): selection.add("r", "s.reported_name = $", name)
        case nil: break
        }
        return selection
    }
}
