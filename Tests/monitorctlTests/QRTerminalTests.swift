import QREncoding
import Testing

@testable import monitorctl

@Suite("QRTerminal")
struct QRTerminalTests {
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
}
