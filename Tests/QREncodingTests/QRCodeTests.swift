import Foundation
import Testing

@testable import QREncoding

@Suite("QRCode")
struct QRCodeTests {
    @Test("the most and the fewest bytes that a code at level M holds")
    func capacity() throws {
        #expect(QRCode([]) == nil)
        #expect(try #require(QRCode([UInt8](repeating: 65, count: 14))).size == 21)
        #expect(try #require(QRCode([UInt8](repeating: 65, count: 15))).size == 25)
        #expect(try #require(QRCode([UInt8](repeating: 65, count: 2331))).size == 177)
        #expect(QRCode([UInt8](repeating: 65, count: 2332)) == nil)
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
