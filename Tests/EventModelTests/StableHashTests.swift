import EventModel
import Testing

/// The vectors of FNV's authors (http://www.isthe.com/chongo/tech/comp/fnv/).
@Suite struct StableHashTests {
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)]
    )
    func isThatOfItsAuthors(text: String, value: UInt64) {
        var hash = StableHash()
        hash.combine(text.utf8.span)
        #expect(hash.value == value)
    }

    @Test func aWordIsItsBytesTheLowestFirst() {
        var word = StableHash()
        var bytes = StableHash()
        word.combine(0x0807_0605_0403_0201 as UInt64)
        for byte in 1...8 as ClosedRange<UInt8> { bytes.combine(byte) }
        #expect(word.value == bytes.value)
    }
}
