import EventModel

/// A SELECT built from the conditions of a query. The same set of conditions always gives the same SQL text, so that
/// it is prepared once. Values go into parameters only.
struct Selection {
    private let source: String
    /// Identifies the set of conditions in the statement's name.
    private var key: String
    private var types: [PGType] = []
    private var conditions: [String] = []
    private(set) var parameters = Parameters()

    /// - Parameter source: `SELECT ... FROM ...`.
    init(_ key: String, _ source: String) {
        self.key = key
        self.source = source
    }

    /// - Parameter condition: SQL in which `$` stands for the value. `key` is one letter, unique to the condition.
    mutating func add(_ key: String, _ condition: String, _ value: (some PGEncodable)?) {
        guard let value else { return }
        value.add(to: &parameters)
        note(key, condition, type(of: value).elementType)
    }

    mutating func add(_ machine: MachineFilter?) {
        switch machine {
        case .machine(let id): add("m", "machine_id = $", id)
        case .reported(let name): add("o", "reported_name = $", name)
        case nil: break
        }
    }

    mutating func add(_ key: String, _ condition: String, anyOf values: [String]) {
        guard !values.isEmpty else { return }
        values.add(to: &parameters)
        note(key, condition, .textArray)
    }

    mutating func add<Left: PGEncodable, Right: PGEncodable>(
        _ key: String,
        _ columns: String,
        _ comparison: String,
        _ left: Left,
        _ right: Right
    ) {
        left.add(to: &parameters)
        right.add(to: &parameters)
        types += [Left.elementType, Right.elementType]
        conditions.append("\(columns) \(comparison) ($\(types.count - 1), $\(types.count))")
        self.key += key
    }

    mutating func add(_ key: String, _ condition: String) {
        conditions.append(condition)
        self.key += key
    }

    /// - Parameter tail: ORDER BY. `limit` and `offset` follow as parameters.
    mutating func statement(_ tailKey: String, _ tail: String, limit: Int64? = nil, offset: Int64? = nil) -> Statement {
        var sql = source
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        sql += " " + tail
        if let limit {
            limit.add(to: &parameters)
            types.append(.int8)
            sql += " LIMIT $\(types.count)"
        }
        if let offset {
            offset.add(to: &parameters)
            types.append(.int8)
            sql += " OFFSET $\(types.count)"
        }
        let name = key + tailKey + (limit == nil ? "" : "l") + (offset == nil ? "" : "o")
        return Statement(name, types, sql)
    }

    /// Like `statement`, but stops before the payloads exceed `payloadBytes` in total. It returns at least one row. The
    /// column after `columns` is the number of rows without that bound.
    mutating func statement(
        _ tailKey: String,
        _ order: String,
        limit: Int64,
        offset: Int64?,
        payloadBytes: Int64,
        columns: String
    ) -> Statement {
        let page = statement(tailKey, order, limit: limit, offset: offset)
        payloadBytes.add(to: &parameters)
        types.append(.int8)
        // PostgreSQL knows the length of a payload without reading it.
        let sql = """
            SELECT \(columns), matching FROM (
                SELECT *, sum(octet_length(payload)) OVER (\(order)) AS bytes,
                    row_number() OVER (\(order)) AS place, count(*) OVER () AS matching
                FROM (\(page.sql)) AS found
            ) AS measured
            WHERE place = 1 OR bytes <= $\(types.count) \(order)
            """
        return Statement(page.name + "b", types, sql)
    }

    private mutating func note(_ key: String, _ condition: String, _ type: PGType) {
        types.append(type)
        conditions.append(condition.replacingPlaceholder(with: "$\(types.count)"))
        self.key += key
    }
}

extension String {
    fileprivate func replacingPlaceholder(with text: String) -> String {
        split(separator: "$", omittingEmptySubsequences: false).joined(separator: text)
    }
}
