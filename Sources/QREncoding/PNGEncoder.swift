internal import CZlib

/// Square pictures in black and white as PNG (W3C Portable Network Graphics, third edition), one bit a pixel.
enum PNGEncoder {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func encode(side: Int, isWhite: (_ column: Int, _ row: Int) -> Bool) -> [UInt8] {
        // Bit depth 1, grayscale, deflate, adaptive filters, not interlaced.
        let header = bigEndian(side) + bigEndian(side) + [1, 0, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", compressed(rows(side, isWhite))) + chunk("IEND", [])
    }

    /// Each row begins with a byte that says that it is not filtered.
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
        let checksum = unsafe crc32(0, body, uInt(body.count))
        return bigEndian(data.count) + body + bigEndian(Int(checksum))
    }

    /// A zlib stream (RFC 1950).
    private static func compressed(_ data: [UInt8]) -> [UInt8] {
        var length = compressBound(uLong(data.count))
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            let status = unsafe compress(buffer.baseAddress, &length, data, uLong(data.count))
            precondition(status == Z_OK, "zlib has no memory")
            count = Int(length)
        }
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
