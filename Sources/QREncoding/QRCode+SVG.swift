extension QRCode {
    /// Modules of light on each side (ISO/IEC 18004 clause 6.3.8).
    package static let quietZone = 4

    /// An SVG element with the quiet zone around the code, one unit a module. Black on white whatever surrounds it, for
    /// many readers do not find light on dark.
    package var svg: String {
        let side = size + 2 * QRCode.quietZone
        var path = ""
        for row in 0..<size {
            for run in darkRuns(row) {
                path += "M\(run.lowerBound + QRCode.quietZone) \(row + QRCode.quietZone)h\(run.count)v1h-\(run.count)z"
            }
        }
        let light = #"<path fill="white" d="M0 0h\#(side)v\#(side)H0z"/>"#
        return #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(side) \#(side)" role="img" "#
            + #"aria-label="QR code" shape-rendering="crispEdges">\#(light)<path d="\#(path)"/></svg>"#
    }

    /// The columns of neighbours that are dark.
    private func darkRuns(_ row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...size {
            let isDark = self[column, row]
            if isDark, start == nil { start = column }
            if !isDark, let first = start {
                runs.append(first..<column)
                start = nil
            }
        }
        return runs
    }
}
