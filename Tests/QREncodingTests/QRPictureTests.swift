import Foundation
import Testing

@testable import QREncoding

@Suite("QR pictures")
struct QRPictureTests {
    /// Whether an independent reader is at hand: `zbarimg` of the package zbar-tools.
    private static let reader = ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Lengths up to that of the longest invitation.
    @Test("an independent reader reads every length", .enabled(if: reader != nil), arguments: [1, 14, 122, 331, 666])
    func everyLength(length: Int) throws {
        let alphabet = Array(#"{"ws":"ws://192.168.1.20:8766/ws","token":"cmp_0aZ"}"#.utf8)
        let text = (0..<length).map { alphabet[$0 * 7 % alphabet.count] }
        let code = try #require(QRCode(text))
        #expect(try QRPictureTests.read(code.png(side: 480)) == String(decoding: text, as: UTF8.self))
    }

    @Test("an independent reader reads every side", .enabled(if: reader != nil), arguments: [140, 200, 256, 511, 1024])
    func everySide(side: Int) throws {
        let text = String(repeating: "0aZ ", count: 45)
        let code = try #require(QRCode(Array(text.utf8)))
        #expect(try QRPictureTests.read(code.png(side: side)) == text)
    }

    @Test(
        "a picture has the side asked for, or what its modules need",
        arguments: [(1, 29), (29, 29), (30, 30), (256, 256)]
    )
    func side(asked: Int, expected: Int) throws {
        let png = try #require(QRCode(Array("x".utf8))).png(side: asked)
        // The signature, the length and name of IHDR, width and height, all big-endian.
        for start in [16, 20] { #expect(png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } == expected) }
        #expect(Array(png.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    /// Draws the path on a raster of its own: only `M x y h n v 1 h -n z` occur.
    @Test("an SVG draws exactly the dark modules, behind a quiet zone of four")
    func svg() throws {
        let code = try #require(QRCode(Array("x".utf8)))
        let path = try #require(code.svg.split(separator: "<path ").last?.split(separator: "\"").dropFirst().first)
        var dark = Set<[Int]>()
        for piece in path.split(separator: "z") {
            let numbers = piece.split { !$0.isNumber }.compactMap { Int($0) }
            let parts = try #require(numbers.count == 5 ? numbers : nil)
            #expect(parts[2] == parts[4] && parts[3] == 1)
            for column in parts[0]..<parts[0] + parts[2] { #expect(dark.insert([column, parts[1]]).inserted) }
        }
        for row in -4..<25 {
            for column in -4..<25 { #expect(dark.contains([column + 4, row + 4]) == code[column, row]) }
        }
        #expect(code.svg.contains(#"viewBox="0 0 29 29""#))
    }

    private static func read(_ png: [UInt8]) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("qr-\(UUID().uuidString).png")
        try Data(png).write(to: path)
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
