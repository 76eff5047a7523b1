/// Reed-Solomon codes over GF(2^8) with the polynomial 0x11D, as QR codes use them (ISO/IEC 18004 clause 7.5).
struct ReedSolomon {
    /// Coefficients of the generator polynomial without the leading 1, the highest power first.
    private let generator: [UInt8]

    init(correctionCodewords count: Int) {
        var generator = [UInt8](repeating: 0, count: count - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in generator.indices {
                generator[index] = ReedSolomon.multiply(generator[index], root)
                if index + 1 < count { generator[index] ^= generator[index + 1] }
            }
            root = ReedSolomon.multiply(root, 2)
        }
        self.generator = generator
    }

    func correction(for data: some Sequence<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices {
                remainder[index] ^= ReedSolomon.multiply(generator[index], factor)
            }
        }
        return remainder
    }

    static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            product = product << 1 ^ (product >> 7 == 1 ? 0x1D : 0)
            if right >> UInt8(bit) & 1 == 1 { product ^= left }
        }
        return product
    }
}
