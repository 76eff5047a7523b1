/// The modules of a QR code while they are placed (ISO/IEC 18004 clauses 6.3 and 7.7 to 7.10).
struct QRCanvas {
    private let version: QRVersion
    let size: Int
    private(set) var modules: [Bool]
    /// Modules of patterns and of format and version information, which carry no data and are not masked.
    private var isReserved: [Bool]

    init(version: QRVersion) {
        self.version = version
        size = version.size
        modules = [Bool](repeating: false, count: size * size)
        isReserved = modules
        placeTiming()
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { placeFinder(column, row) }
        placeAlignment()
        placeVersion()
        placeFormat(mask: 0)
    }

    private subscript(column: Int, row: Int) -> Bool { modules[row * size + column] }

    private mutating func reserve(_ column: Int, _ row: Int, _ isDark: Bool) {
        modules[row * size + column] = isDark
        isReserved[row * size + column] = true
    }

    private mutating func placeTiming() {
        for index in 0..<size {
            reserve(6, index, index % 2 == 0)
            reserve(index, 6, index % 2 == 0)
        }
    }

    /// With its separator, around a centre.
    private mutating func placeFinder(_ column: Int, _ row: Int) {
        for y in max(0, row - 4)...min(size - 1, row + 4) {
            for x in max(0, column - 4)...min(size - 1, column + 4) {
                let distance = max(abs(x - column), abs(y - row))
                reserve(x, y, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func placeAlignment() {
        let centres = version.alignmentCentres
        guard let last = centres.last else { return }
        for row in centres {
            for column in centres where ![(6, 6), (6, last), (last, 6)].contains(where: { $0 == (column, row) }) {
                for y in -2...2 {
                    for x in -2...2 { reserve(column + x, row + y, max(abs(x), abs(y)) != 1) }
                }
            }
        }
    }

    private mutating func placeVersion() {
        guard version.number >= 7 else { return }
        let bits = version.number << 12 | QRCanvas.remainder(version.number, by: 0x1F25, bits: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            reserve(size - 11 + index % 3, index / 3, isDark)
            reserve(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// Level M has the indicator 00.
    private mutating func placeFormat(mask: Int) {
        let bits = (mask << 10 | QRCanvas.remainder(mask, by: 0x537, bits: 10)) ^ 0x5412
        func isDark(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<6 { reserve(8, index, isDark(index)) }
        reserve(8, 7, isDark(6))
        reserve(8, 8, isDark(7))
        reserve(7, 8, isDark(8))
        for index in 9..<15 { reserve(14 - index, 8, isDark(index)) }
        for index in 0..<8 { reserve(size - 1 - index, 8, isDark(index)) }
        for index in 8..<15 { reserve(8, size - 15 + index, isDark(index)) }
        reserve(8, size - 8, true)
    }

    /// Of the value, shifted, divided by a polynomial over GF(2): the check bits of a BCH code.
    private static func remainder(_ value: Int, by generator: Int, bits: Int) -> Int {
        var remainder = value
        for _ in 0..<bits { remainder = remainder << 1 ^ (remainder >> (bits - 1)) * generator }
        return remainder
    }

    /// In zigzag, two columns at a time, from the lower right corner.
    mutating func place(_ codewords: [UInt8]) {
        var index = 0
        for pair in 0..<(size - 1) / 2 {
            // The vertical timing pattern is in nobody's pair.
            let right = size - 1 - 2 * pair <= 6 ? size - 2 - 2 * pair : size - 1 - 2 * pair
            for step in 0..<size {
                let row = pair % 2 == 0 ? size - 1 - step : step
                for column in [right, right - 1] where !isReserved[row * size + column] && index < codewords.count * 8 {
                    modules[row * size + column] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }

    func masked(by mask: Int) -> QRCanvas {
        var copy = self
        for row in 0..<size {
            for column in 0..<size where !isReserved[row * size + column] && QRCanvas.flips(mask, column, row) {
                copy.modules[row * size + column].toggle()
            }
        }
        copy.placeFormat(mask: mask)
        return copy
    }

    private static func flips(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// How hard it is to read: clause 7.8.3.
    var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += QRCanvas.penalty(of: (0..<size).map { self[$0, line] })
            penalty += QRCanvas.penalty(of: (0..<size).map { self[line, $0] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let dark = self[column, row]
                let isBlock =
                    dark == self[column + 1, row] && dark == self[column, row + 1] && dark == self[column + 1, row + 1]
                if isBlock { penalty += 3 }
            }
        }
        let dark = modules.count { $0 }
        return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    /// Runs of one colour, and what looks like a finder pattern.
    private static func penalty(of line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        for pattern in [finder + light, light + finder] {
            for start in 0...(line.count - pattern.count) where Array(line[start..<start + pattern.count]) == pattern {
                penalty += 40
            }
        }
        return penalty
    }
}
