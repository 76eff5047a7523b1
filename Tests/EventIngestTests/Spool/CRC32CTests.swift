import Testing

@testable import EventIngest

@Suite("CRC32C")
struct CRC32CTests {
    /// RFC 3720 B.4 and the check value of the catalogue of parametrised CRC algorithms.
    @Test("known sums")
    func known() {
        #expect(CRC32C.of(Array("123456789".utf8)[...]) == 0xE306_9283)
        #expect(CRC32C.of([UInt8](repeating: 0, count: 32)[...]) == 0x8A91_36AA)
        #expect(CRC32C.of([UInt8](repeating: 0xFF, count: 32)[...]) == 0x62A8_AB43)
        #expect(CRC32C.of(Array(UInt8(0)...31)[...]) == 0x46DD_794E)
    }
}
