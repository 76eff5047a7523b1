import QREncoding

/// Renders a QR code in a terminal: half blocks, two modules per character cell, with a quiet zone.
struct QRTerminal {
    /// - Parameter isColored: sets black on white, so that dark and light terminals work alike. Otherwise draws the
    ///   light modules, as on a dark terminal.
    static func lines(_ code: QRCode, isColored: Bool) -> [String] {
        let range = -QRCode.quietZone..<code.size + QRCode.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let cells = range.map { column in
                let upper = code[column, row] == isColored
                let lower = row + 1 < range.upperBound && code[column, row + 1] == isColored
                return upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
            }
            return isColored ? "\u{1B}[30;107m" + cells.joined() + "\u{1B}[0m" : cells.joined()
        }
    }
}
