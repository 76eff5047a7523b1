import Foundation
import Testing

@testable import QREncoding

@Suite("QRCode")
struct QRCodeTests {
    @Test("capacities are those of the standard at level M")
    func capacities() {
        let expected = [
            14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
        ]
        #expect(QRVersion.range.map { QRVersion(number: $0).byteCapacity } == expected)
        #expect(QRVersion.fitting(14)?.number == 1)
        #expect(QRVersion.fitting(15)?.number == 2)
        #expect(QRVersion.fitting(667) == nil)
        #expect(QRCode([UInt8](repeating: 65, count: 667)) == nil)
    }

    @Test("alignment patterns stand where annex E puts them")
    func alignment() {
        #expect(QRVersion(number: 1).alignmentCentres == [])
        #expect(QRVersion(number: 2).alignmentCentres == [6, 18])
        #expect(QRVersion(number: 7).alignmentCentres == [6, 22, 38])
        #expect(QRVersion(number: 10).alignmentCentres == [6, 28, 50])
        #expect(QRVersion(number: 16).alignmentCentres == [6, 26, 50, 74])
        #expect(QRVersion(number: 20).alignmentCentres == [6, 34, 62, 90])
    }

    /// ISO/IEC 18004 annex I: "01234567" as version 1-M in numeric mode.
    @Test("the correction codewords of the standard's example")
    func correction() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        let expected: [UInt8] = [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55]
        #expect(ReedSolomon(correctionCodewords: 10).correction(for: data) == expected)
    }

    @Test("finder patterns, their separators and the dark module are in place")
    func patterns() throws {
        let code = try #require(QRCode(Array("x".utf8)))
        #expect(code.size == 21)
        let ring = "1111111 1000001 1011101 1011101 1011101 1000001 1111111".split(separator: " ").map {
            $0.map { $0 == "1" }
        }
        for (left, top) in [(0, 0), (14, 0), (0, 14)] {
            for row in 0..<7 { for column in 0..<7 { #expect(code[left + column, top + row] == ring[row][column]) } }
        }
        for index in 0..<8 { #expect(!code[index, 7] && !code[7, index] && !code[13, index]) }
        #expect(code[8, 13])
        #expect(!code[-1, 0] && !code[21, 0])
    }
}
