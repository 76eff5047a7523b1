import CZlib
import HTTPModel
import Testing

@testable import Compression

@Suite("Inflater")
struct InflaterTests {
    @Test("bodies of any size come back, one after another", arguments: [0, 1, 1000, 65_536, 1_000_000])
    func roundTrip(count: Int) throws {
        let inflater = Inflater(.gzip)
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        for _ in 0..<2 { #expect(try inflater.inflate(gzip(body), limit: 1_000_000) == body) }
    }

    @Test("several members are one body")
    func members() throws {
        #expect(try Inflater(.gzip).inflate(gzip([1, 2]) + gzip([3]), limit: 10) == [1, 2, 3])
    }

    @Test("a body cut anywhere is refused and the next one is read")
    func truncated() throws {
        let inflater = Inflater(.gzip)
        let whole = gzip(Array("{\"hook_event_name\":\"Stop\"}".utf8))
        for length in 0..<whole.count {
            #expect(throws: APIError.invalidGzip) { try inflater.inflate(Array(whole[..<length]), limit: 1000) }
        }
        #expect(try inflater.inflate(whole, limit: 1000).count == 26)
    }

    @Test("what is not gzip is refused")
    func garbage() {
        let inflater = Inflater(.gzip)
        var flipped = gzip(Array("hello hello hello".utf8))
        flipped[flipped.count - 6] ^= 1
        for body in [Array("{}".utf8), [0x1F, 0x8B], gzip([1]) + [0], flipped] {
            #expect(throws: APIError.invalidGzip) { try inflater.inflate(body, limit: 1000) }
        }
    }

    @Test("a bomb stops at the limit", arguments: [CompressionFormat.gzip, .zlib])
    func bomb(format: CompressionFormat) {
        let bomb = compressed([UInt8](repeating: 0, count: 50_000_000), format == .gzip ? 15 + 16 : 15)
        let error = #expect(throws: APIError.self) { try Inflater(format).inflate(bomb, limit: 4 << 20) }
        #expect(error?.status == 413)
    }

    @Test("zlib data is read, whole and once, and gzip and raw data are not zlib")
    func zlib() throws {
        let body = Array("{\"hook_event_name\":\"Stop\"}".utf8)
        let inflater = Inflater(.zlib)
        let whole = compressed(body, 15)
        for _ in 0..<2 { #expect(try inflater.inflate(whole, limit: 1000) == body) }
        for wrong in [Array(whole.dropLast()), whole + [0], whole + whole, gzip(body), compressed(body, -15), []] {
            #expect(throws: APIError.invalidDeflate) { try inflater.inflate(wrong, limit: 1000) }
        }
    }
}

private func gzip(_ bytes: [UInt8]) -> [UInt8] { compressed(bytes, 15 + 16) }

private func compressed(_ bytes: [UInt8], _ window: Int32) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var input = bytes
    return [UInt8](unsafeUninitializedCapacity: bytes.count + 1000) { space, count in
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            stream.next_out = space.baseAddress
            stream.avail_out = UInt32(space.count)
            deflate(&stream, Z_FINISH)
            count = space.count - Int(stream.avail_out)
        }
    }
}
