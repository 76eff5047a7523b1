import Testing

@testable import monitorctl

struct TerminalStyleTests {
    private func detect(_ environment: [String: String], terminal: Bool = true) -> TerminalStyle {
        TerminalStyle.detect(environment: environment, isTerminal: terminal, reportedWidth: 100)
    }

    @Test func terminal() {
        #expect(detect([:]) == TerminalStyle(isColoured: true, width: 100))
        #expect(detect(["COLUMNS": "60"]).width == 60)
    }

    @Test func noColourWhereNotWanted() {
        #expect(!detect(["NO_COLOR": "1"]).isColoured)
        #expect(detect(["NO_COLOR": ""]).isColoured)
        #expect(!detect(["TERM": "dumb"]).isColoured)
    }

    @Test func pipesGetWholeLinesWithoutColour() {
        #expect(detect(["COLUMNS": "60"], terminal: false) == TerminalStyle(isColoured: false, width: nil))
    }
}
