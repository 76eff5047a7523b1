/// A QR code (ISO/IEC 18004) in byte mode at error correction level M.
public struct QRCode: Equatable, Sendable {
    /// Modules on a side.
    public let size: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// Whether the module is dark; those around the code are light.
    public subscript(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    /// `nil` for more than 666 bytes.
    public init?(_ bytes: [UInt8]) {
        guard let version = QRVersion.fitting(bytes.count) else { return nil }
        self.init(bytes, version: version)
    }

    private init(_ bytes: [UInt8], version: QRVersion) {
        var canvas = QRCanvas(version: version)
        canvas.place(QRCode.interleaved(QRCode.dataCodewords(bytes, version), version))
        let candidates = (0..<8).map { canvas.masked(by: $0) }
        let best = candidates.min { $0.penalty < $1.penalty } ?? canvas
        size = version.size
        modules = best.modules
    }

    /// Mode, count, the bytes, and padding.
    private static func dataCodewords(_ bytes: [UInt8], _ version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, version.dataCodewords * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var padding: UInt8 = 0xEC
        while codewords.count < version.dataCodewords {
            codewords.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        return codewords
    }

    /// The blocks with their correction, taken in turns.
    private static func interleaved(_ data: [UInt8], _ version: QRVersion) -> [UInt8] {
        let code = ReedSolomon(correctionCodewords: version.correctionPerBlock)
        let shortLength = data.count / version.blocks
        let shortBlocks = version.blocks - data.count % version.blocks
        var start = 0
        let blocks = (0..<version.blocks).map { index in
            let end = start + shortLength + (index < shortBlocks ? 0 : 1)
            defer { start = end }
            return Array(data[start..<end])
        }
        let corrections = blocks.map { code.correction(for: $0) }
        var result: [UInt8] = []
        for index in 0...shortLength {
            for block in blocks where index < block.count { result.append(block[index]) }
        }
        for index in 0..<version.correctionPerBlock {
            for correction in corrections { result.append(correction[index]) }
        }
        return result
    }
}
