/// Square pictures in black and white as PNG (W3C Portable Network Graphics, third edition), one bit a pixel. The rows
/// are stored and not compressed (RFC 1951 section 3.2.4): 512 pixels on a side are 33 kB.
enum PNGEncoder {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func encode(side: Int, isWhite: (_ column: Int, _ row: Int) -> Bool) -> [UInt8] {
        var header = bigEndian(side) + bigEndian(side)
        // Bit depth 1, grayscale, deflate, adaptive filters, not interlaced.
        header += [1, 0, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", stored(rows(side, isWhite))) + chunk("IEND", [])
    }

    /// Each behind a byte that says that it is not filtered.
    private static func rows(_ side: Int, _ isWhite: (Int, Int) -> Bool) -> [UInt8] {
        let width = (side + 7) / 8
        var bytes = [UInt8](repeating: 0, count: side * (1 + width))
        for row in 0..<side {
            let start = row * (1 + width) + 1
            for column in 0..<side where isWhite(column, row) { bytes[start + column / 8] |= 0x80 >> UInt8(column % 8) }
        }
        return bytes
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(data.count) + body + bigEndian(Int(crc32(body)))
    }

    /// A zlib stream (RFC 1950) of stored blocks.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        let most = 65_535
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: data.count, by: most) {
            let block = data[start..<min(start + most, data.count)]
            let length = UInt16(block.count)
            stream.append(block.endIndex == data.count ? 1 : 0)
            for number in [length, ~length] { stream += [UInt8(number & 0xFF), UInt8(number >> 8)] }
            stream += block
        }
        return stream + bigEndian(Int(adler32(data)))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    static func adler32(_ data: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    static func crc32(_ data: [UInt8]) -> UInt32 {
        ~data.reduce(~0) { crcTable[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }

    private static let crcTable: [UInt32] = (UInt32(0)..<256).map { index in
        (0..<8).reduce(index) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}
