internal import CQRencode

/// A QR code (ISO/IEC 18004) in byte mode at error correction level M.
package struct QRCode: Equatable, Sendable {
    /// Modules on a side.
    package let size: Int
    /// Row by row; true is dark.
    private let modules: [Bool]

    /// Whether the module is dark; those around the code are light.
    package subscript(column: Int, row: Int) -> Bool {
        (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
    }

    /// `nil` for no bytes, or more than a code holds: 2,331.
    package init?(_ bytes: [UInt8]) {
        // Version 0: the smallest that holds the bytes.
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        size = unsafe Int(code.pointee.width)
        // The lowest bit of a module's byte is its colour.
        modules = unsafe UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }
}
