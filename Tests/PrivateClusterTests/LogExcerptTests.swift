import Testing

@testable import PrivateCluster

@Suite("Log excerpt")
struct LogExcerptTests {
    @Test("lines that may quote data are left out")
    func withheld() {
        let text = "t [1] LOG:  a\nt [1] ERROR:  invalid input \"secret\"\nt [1] STATEMENT:  secret\nt [1] FATAL:  b\n"
        #expect(LogExcerpt.lastLines(of: text) == "t [1] LOG:  a\nt [1] FATAL:  b")
    }

    @Test("only the last lines and characters are kept")
    func bounded() {
        let text = (1...20).map { "line \($0)" }.joined(separator: "\n")
        #expect(LogExcerpt.lastLines(of: text, count: 2) == "line 19\nline 20")
        #expect(LogExcerpt.lastLines(of: String(repeating: "x", count: 9000)).count == 2000)
    }

    @Test("an earlier start's lines are left out")
    func lastStart() {
        let text = "t LOG:  starting PostgreSQL 15\nold\nt LOG:  starting PostgreSQL 15\nnew\n"
        #expect(LogExcerpt.lastStart(in: text) == "t LOG:  starting PostgreSQL 15\nnew\n")
        #expect(LogExcerpt.lastStart(in: "none") == "none")
    }
}
