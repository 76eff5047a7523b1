internal import CZlib
internal import HTTPModel

/// Owns a `z_stream` (zlib manual, https://zlib.net/manual.html), which is reused for every body.
///
/// Safe because the stream is private, never moves, and is ended and freed only in `deinit`.
@safe final class Inflater {
    private static let chunkBytes = 64 * 1024

    /// zlib keeps a pointer to it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInitialized = false
    private let format: CompressionFormat

    init(_ format: CompressionFormat) {
        self.format = format
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        if isInitialized { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Inflates a body without trailing data: one zlib stream, or any number of gzip members (RFC 1952 section 2.2). An
    /// empty member costs work too. Stops as soon as the output exceeds
    /// `limit` bytes, even if input remains.
    func inflate(_ body: [UInt8], limit: Int) throws(APIError) -> [UInt8] {
        try prepare()
        var output: [UInt8] = []
        var offset = 0
        var members = 1
        while true {
            let step = step(body, from: offset, into: &output)
            offset += step.consumed
            guard output.count <= limit else { throw .bodyTooLarge(limit: limit) }
            switch step.status {
            case Z_STREAM_END where offset == body.count: return output
            case Z_STREAM_END where members < format.maximumMembers:
                members += 1
                try prepare()
            case Z_STREAM_END: throw format.fault
            case Z_OK where step.consumed > 0 || step.produced > 0: continue
            case Z_MEM_ERROR: throw .unavailable("out_of_memory", "there is not enough memory", retryAfter: 1)
            default: throw format.fault
            }
        }
    }

    private func prepare() throws(APIError) {
        let status =
            if isInitialized {
                unsafe inflateReset(stream)
            } else {
                unsafe inflateInit2_(
                    stream,
                    format.windowBits,
                    ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)
                )
            }
        guard status == Z_OK else { throw .unavailable("out_of_memory", "there is not enough memory", retryAfter: 1) }
        isInitialized = true
    }

    /// One call of zlib's `inflate`, for at most `chunkBytes` of output.
    private func step(
        _ body: [UInt8],
        from offset: Int,
        into output: inout [UInt8]
    ) -> (status: Int32, consumed: Int, produced: Int) {
        var status = Z_DATA_ERROR
        var consumed = 0
        let before = output.count
        let chunk = unsafe [UInt8](unsafeUninitializedCapacity: Inflater.chunkBytes) { space, count in
            unsafe body.withUnsafeBufferPointer { input in
                unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                    mutating: input.baseAddress?.advanced(by: offset)
                )
                unsafe stream.pointee.avail_in = UInt32(clamping: input.count - offset)
                unsafe stream.pointee.next_out = space.baseAddress
                unsafe stream.pointee.avail_out = UInt32(space.count)
                let available = unsafe stream.pointee.avail_in
                status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                consumed = unsafe Int(available - stream.pointee.avail_in)
                count = unsafe space.count - Int(stream.pointee.avail_out)
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
        }
        output.append(contentsOf: chunk)
        return (status, consumed, output.count - before)
    }
}

extension CompressionFormat {
    /// The members of a body. Only gzip's may be several.
    fileprivate var maximumMembers: Int { self == .gzip ? 64 : 1 }
    fileprivate var fault: APIError { self == .gzip ? .invalidGzip : .invalidDeflate }
}
