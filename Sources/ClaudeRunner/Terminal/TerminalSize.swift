/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Equatable {
    package let columns: UInt16
    package let rows: UInt16

    /// nil if a terminal of this size is of no use.
    package init?(columns: Int64, rows: Int64) {
        guard 2...1000 ~= columns, 2...1000 ~= rows else { return nil }
        (self.columns, self.rows) = (UInt16(columns), UInt16(rows))
    }

    private init(checkedColumns columns: UInt16, rows: UInt16) {
        (self.columns, self.rows) = (columns, rows)
    }

    package static let usual = TerminalSize(checkedColumns: 120, rows: 40)
}
