/// The columns of a statement that takes many rows at once, as one array for each column. The types of its parameters,
/// its SQL and its parameters follow from this one description.
///
///     static let used = RowColumns<(key: Int64, at: Timestamp)>().column("id", \.key).column("at", \.at)
///     Statement("touch", used.types, "UPDATE keys SET ... FROM \(used.unnest("used")) WHERE keys.id = used.id")
///     Parameters(of: used.arrays(rows))
package struct RowColumns<Row>: Sendable {
    private struct Column: Sendable {
        var name: String
        var type: PGType
        var add: @Sendable ([Row], inout Parameters) -> Void
    }

    private var columns: [Column] = []

    package init() {}

    package func column<Value: PGElement>(
        _ name: String,
        _ value: @escaping @Sendable (Row) -> Value
    ) -> RowColumns {
        var more = self
        more.columns.append(
            Column(name: name, type: Value.elementType.array) { rows, parameters in
                parameters.add(count: rows.count) { value(rows[$0]) }
            }
        )
        return more
    }

    package var types: [PGType] { columns.map(\.type) }

    /// `id, at`, for the column list of an INSERT.
    package var names: String { columns.map(\.name).joined(separator: ", ") }

    /// `unnest($1, $2) AS alias (id, at)`: the rows as a table.
    ///
    /// - Parameter first: the number of the first parameter.
    package func unnest(_ alias: String, from first: Int = 1) -> String {
        let parameters = columns.indices.map { "$\(first + $0)" }.joined(separator: ", ")
        return "unnest(\(parameters)) AS \(alias) (\(names))"
    }

    /// The rows, as parameters of the types `types`.
    package func arrays(_ rows: [Row]) -> some PGParameter { Arrays(columns: self, rows: rows) }

    private struct Arrays: PGParameter {
        let columns: RowColumns
        let rows: [Row]

        func add(to parameters: inout Parameters) {
            for column in columns.columns { column.add(rows, &parameters) }
        }
    }
}
