/// Rows with headings, aligned in terminal columns.
struct Table {
    enum Alignment {
        case left
        case right
    }

    struct Column {
        var heading: String
        var alignment = Alignment.left
        /// The minimum width in terminal columns. The widest column above its minimum shrinks first.
        var minimum = 6
    }

    struct Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
        var text: String
        var style: TerminalStyle.Colour?

        init(_ text: String, style: TerminalStyle.Colour? = nil) {
            self.text = TerminalText.printable(text)
            self.style = style
        }

        init(stringLiteral value: String) {
            self.init(value)
        }
    }

    var columns: [Column]
    var rows: [[Cell]] = []

    /// - Parameter width: the terminal's width; `nil` disables cutting.
    func lines(width: Int?, style: TerminalStyle) -> [String] {
        let widths = fit(width)
        let heading = columns.map { Cell($0.heading, style: .dim) }
        return ([heading] + rows).map { line($0, widths, style) }
    }

    private func fit(_ limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].heading)) { max($0, TerminalText.width($1[index].text)) }
        }
        guard let limit else { return widths }
        var excess = widths.reduce(0, +) + Table.gap * (columns.count - 1) - limit
        while excess > 0 {
            let shrinkable = widths.indices.filter { widths[$0] > columns[$0].minimum }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static let gap = 2

    private func line(_ cells: [Cell], _ widths: [Int], _ style: TerminalStyle) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let cut = TerminalText.cut(cell.text, to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - TerminalText.width(cut))
            let isLast = index == cells.count - 1
            let shown = style.apply(cell.style, to: cut)
            switch columns[index].alignment {
            case .left: text += shown + (isLast ? "" : padding)
            case .right: text += padding + shown
            }
            if !isLast { text += String(repeating: " ", count: Table.gap) }
        }
        return text
    }
}

extension Table {
    /// Prints to stdout at the terminal's width. Without rows, prints only the hint to stderr.
    static func show(columns: [Column], rows: [[Cell]], ifEmpty hint: String) throws(Output.Closed) {
        guard !rows.isEmpty else { return Output.note(hint) }
        let style = TerminalStyle.ofStandardOutput()
        for line in Table(columns: columns, rows: rows).lines(width: style.width, style: style) {
            try Output.line(line)
        }
    }
}
