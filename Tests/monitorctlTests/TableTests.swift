import Testing

@testable import monitorctl

struct TableTests {
    private let plain = TerminalStyle(isColoured: false, width: nil)

    private var table: Table {
        Table(
            columns: [
                .init(heading: "NAME"), .init(heading: "N", alignment: .right, minimum: 1), .init(heading: "PROJECT"),
            ],
            rows: [
                ["laptop", "7", "/home/a/a-long-path/to/project"], [Table.Cell("日本", style: .green), "120", "x"],
            ]
        )
    }

    @Test func alignsByColumnsOfTheTerminal() {
        #expect(
            table.lines(width: nil, style: plain) == [
                "NAME      N  PROJECT", "laptop    7  /home/a/a-long-path/to/project", "日本    120  x",
            ]
        )
    }

    @Test(arguments: [20, 24, 30, 80])
    func staysWithinTheTerminal(_ width: Int) {
        for line in table.lines(width: width, style: plain) {
            #expect(TerminalText.width(line) <= width, "\(line)")
        }
        #expect(table.lines(width: width, style: plain)[1].hasPrefix("laptop"), "the widest column gives way first")
    }

    @Test func colourDoesNotDisturbAlignment() {
        let coloured = table.lines(width: nil, style: TerminalStyle(isColoured: true, width: nil))[2]
        #expect(coloured == "\u{1B}[32m日本\u{1B}[0m    120  x")
    }

    @Test func noRows() {
        #expect(Table(columns: [.init(heading: "A")]).lines(width: 80, style: plain) == ["A"])
    }
}
