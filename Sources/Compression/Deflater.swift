internal import CZlib

/// Compresses one body piece by piece. Owns a `z_stream` (zlib manual, https://zlib.net/manual.html).
///
/// Safe because the stream is private, never moves, and is ended and freed only in `deinit`.
@safe package final class Deflater {
    private static let chunkBytes = 32 * 1024

    /// zlib keeps a pointer to it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    /// - Parameter level: 1 is the fastest, 9 the smallest.
    /// Returns `nil` if zlib gets no memory.
    package init?(_ format: CompressionFormat, level: Int32) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe deflateInit2_(
            stream,
            level,
            Z_DEFLATED,
            format.windowBits,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        if status != Z_OK { return nil }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Returns what is ready. zlib keeps the rest, at most some 100 kB, until a later piece.
    /// - Parameter isLast: ends the body. Pass nothing afterwards.
    package func deflate(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        var offset = 0
        var isFull = true
        while isFull {
            let chunk = step(bytes, from: &offset, flush: isLast ? Z_FINISH : Z_NO_FLUSH)
            isFull = chunk.count == Deflater.chunkBytes
            if output.isEmpty { output = chunk } else { output += chunk }
        }
        return output
    }

    /// One call of zlib's `deflate`. It has taken all input unless it fills the whole chunk.
    private func step(_ bytes: [UInt8], from offset: inout Int, flush: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Deflater.chunkBytes) { space, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                let given = UInt32(clamping: input.count - offset)
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                    mutating: input.baseAddress?.advanced(by: offset)
                )
                unsafe stream.pointee.avail_in = given
                unsafe stream.pointee.next_out = space.baseAddress
                unsafe stream.pointee.avail_out = UInt32(space.count)
                _ = unsafe CZlib.deflate(stream, flush)
                offset += unsafe Int(given - stream.pointee.avail_in)
                count = unsafe space.count - Int(stream.pointee.avail_out)
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
        }
    }
}
