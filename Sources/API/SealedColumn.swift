/// A column in which a feature stores sealed secrets. A rotation of the keys seals them anew.
package struct SealedColumn: Sendable, Equatable {
    package let table: String
    /// SQL for the primary key of a row as text, as in the place of its secret.
    package let row: String
    package let column: String

    package init(_ column: String, of table: String, row: String) {
        (self.table, self.row, self.column) = (table, row, column)
    }
}
