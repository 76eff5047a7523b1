import Testing

@testable import MachinePolicy

@Suite("tools.policy")
struct ToolPolicyTests {
    private func verdict(
        _ text: String,
        _ tool: String = "look",
        caller: String = "api_key:1",
        isHarmless: Bool = false
    ) -> ToolPolicy.Verdict {
        let call = ToolPolicy.Call(server: "time", tool: tool, caller: caller)
        return ToolPolicy(Array(text.utf8)).verdict(on: call, isHarmless: isHarmless)
    }

    @Test("without a line, a person is asked")
    func asks() {
        #expect(verdict("") == .ask(seconds: nil, words: ""))
        #expect(
            ToolPolicy.absent.verdict(on: .init(server: "a", tool: "b", caller: "c"), isHarmless: false)
                == .ask(seconds: nil, words: "")
        )
        #expect(
            verdict("server=other ask=no\ntool=l*k,x hold=60 devices=3,operator")
                == .ask(seconds: 60, words: "devices=3,operator")
        )
    }

    @Test("the first line that matches counts")
    func first() {
        let text = "# a comment\ncaller=api_key:* tool=look ask=no\nwho=off\n"
        #expect(verdict(text) == .allow(line: 2))
        guard case .refuse(let reason) = verdict(text, caller: "admin") else {
            Issue.record("allowed")
            return
        }
        #expect(reason.contains("Line 3"))
    }

    @Test("a tool that only reads needs no approval, unless a line says so")
    func harmless() {
        #expect(verdict("", isHarmless: true) == .allow(line: 0))
        #expect(verdict("hold=9", isHarmless: true) == .allow(line: 0))
        #expect(verdict("ask=yes", isHarmless: true) == .ask(seconds: nil, words: ""))
    }

    @Test(
        "a file with a flaw allows nothing",
        arguments: ["asks=no", "ask=maybe", "tool=", "hold=x", "server=a\u{0}", "x"]
    )
    func flaws(text: String) {
        guard case .refuse = verdict(text, isHarmless: true) else {
            Issue.record("allowed")
            return
        }
    }
}
