/// A size of QR code and what fits in it at error correction level M (ISO/IEC 18004 tables 1, 7 and 9).
struct QRVersion: Equatable {
    static let range = 1...20

    /// 1 to 20.
    let number: Int

    /// Error correction codewords in each block, by version.
    private static let correctionPerBlock = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

    /// Modules on a side.
    var size: Int { 17 + 4 * number }
    var correctionPerBlock: Int { QRVersion.correctionPerBlock[number - 1] }
    var blocks: Int { QRVersion.blocks[number - 1] }
    var codewords: Int { dataModules / 8 }
    var dataCodewords: Int { codewords - blocks * correctionPerBlock }
    /// Bits of the character count in byte mode.
    var countBits: Int { number < 10 ? 8 : 16 }
    var byteCapacity: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    /// The smallest that takes so many bytes.
    static func fitting(_ byteCount: Int) -> QRVersion? {
        range.lazy.map(QRVersion.init).first { $0.byteCapacity >= byteCount }
    }

    /// Centres of the alignment patterns, along either side (annex E).
    var alignmentCentres: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        let others = (0..<count - 1).map { size - 7 - $0 * step }
        return [6] + others.reversed()
    }

    /// Modules that are not part of a pattern or of format and version information.
    private var dataModules: Int {
        let all = (16 * number + 128) * number + 64
        guard number > 1 else { return all }
        let count = number / 7 + 2
        return all - ((25 * count - 10) * count - 55) - (number >= 7 ? 36 : 0)
    }
}
