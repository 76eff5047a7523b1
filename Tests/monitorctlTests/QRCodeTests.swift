import Foundation
import Testing

@testable import monitorctl

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

    @Test("a terminal shows every module, and a quiet zone of four around them")
    func terminal() throws {
        let code = try #require(QRCode(Array("x".utf8)))
        let lines = QRTerminal.lines(code, isColored: false)
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        #expect(lines[0] == String(repeating: "█", count: 29))
        for row in 0..<29 {
            for (column, cell) in lines[row / 2].enumerated() {
                let isLight = cell == "█" || cell == (row % 2 == 0 ? "▀" : "▄")
                #expect(isLight == !code[column - 4, row - 4])
            }
        }
        let colored = QRTerminal.lines(code, isColored: true)
        #expect(colored.allSatisfy { $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m") })
    }

    /// Whether an independent reader is at hand: `zbarimg` of the package zbar-tools.
    private static let reader = ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("an independent reader reads every version", .enabled(if: reader != nil), arguments: QRVersion.range)
    func reading(version: Int) throws {
        let capacity = QRVersion(number: version).byteCapacity
        let alphabet = Array(#"{"ws":"ws://192.168.1.20:8766/ws","token":"cmp_0aZ"}"#.utf8)
        let text = (0..<capacity).map { alphabet[($0 * 7 + version) % alphabet.count] }
        let code = try #require(QRCode(text))
        #expect(code.size == 17 + 4 * version)
        #expect(try QRCodeTests.read(code) == String(decoding: text, as: UTF8.self))
    }

    private static func read(_ code: QRCode) throws -> String {
        let scale = 4
        let side = (code.size + 8) * scale
        var image = Data("P5 \(side) \(side) 255\n".utf8)
        for row in 0..<side {
            for column in 0..<side { image.append(code[column / scale - 4, row / scale - 4] ? 0 : 255) }
        }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("qr-\(UUID().uuidString).pgm")
        try image.write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(reader))
        process.arguments = ["--quiet", "--raw", "--nodbus", path.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let read = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: read, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

@Suite("PairingInvitation")
struct PairingInvitationTests {
    @Test(
        "the QR code's JSON has the addresses that the device reaches",
        arguments: [
            ("https://monitor.example.com", "wss://monitor.example.com/ws"),
            ("http://192.0.2.7:8766/", "ws://192.0.2.7:8766/ws"), ("https://example.com/cc", "wss://example.com/cc/ws"),
        ]
    )
    func text(address: String, socket: String) throws {
        let made = """
            {"id":"1","code":"7K3M-P9QX","pairing_token":"cmp_x",
            "expires_at":"2026-01-05T10:05:00.000Z","expires_in":300}
            """
        let pairing = try ServerJSON.decode(NewPairing.self, Data(made.utf8))
        let text = try PairingInvitation(pairing, address: try #require(URL(string: address))).text
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(json.keys) == ["ws", "http", "session", "repo", "auth_required", "token", "token_expires_at"])
        #expect(json["ws"] as? String == socket)
        #expect(json["http"] as? String == (address.hasSuffix("/") ? String(address.dropLast()) : address))
        #expect(json["token"] as? String == "cmp_x")
        #expect(json["token_expires_at"] as? String == "2026-01-05T10:05:00.000Z")
        #expect(json["auth_required"] as? Bool == true)
        #expect(!text.contains("7K3M"))
    }
}
