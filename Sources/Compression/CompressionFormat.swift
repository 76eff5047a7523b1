internal import CZlib

/// What surrounds compressed data.
package enum CompressionFormat: Sendable {
    /// RFC 1952.
    case gzip
    /// RFC 1950, which HTTP calls `deflate`.
    case zlib

    /// A window of 32 KiB; plus 16 means gzip.
    var windowBits: Int32 { self == .gzip ? 15 + 16 : 15 }
}
