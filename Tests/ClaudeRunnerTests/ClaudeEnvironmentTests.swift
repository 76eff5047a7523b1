import ClaudeRunner
import Testing

@Suite struct ClaudeEnvironmentTests {
    @Test func whatIsAllowedPasses() {
        let own = [
            "HOME=/home/dev", "PATH=/bin", "LANG=C.UTF-8", "LC_ALL=C", "ANTHROPIC_API_KEY=k", "AWS_REGION=x",
            "https_proxy=p", "SSH_AUTH_SOCK=s", "CLAUDE_CONFIG_DIR=/c",
        ]
        #expect(ClaudeEnvironment.ofChild(from: own) == own)
    }

    @Test func everythingElseDoesNot() {
        let own = ["MONITOR_KEY=s", "CLAUDE_CODE_X=1", "LD_PRELOAD=x", "=x", "HOME", "HOMER=x", "LC=x", ""]
        #expect(ClaudeEnvironment.ofChild(from: own).isEmpty)
    }

    @Test func theOwnerNamesMore() {
        #expect(ClaudeEnvironment.ofChild(from: ["GOPATH=/g", "X=1"], adding: ["GOPATH"]) == ["GOPATH=/g"])
    }

    /// They belong to the session in which the agent was started.
    @Test(arguments: [
        "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_EXECPATH", "CLAUDE_EFFORT", "CLAUDE_PROJECT_DIR",
    ])
    func someNamesNeverPass(name: String) {
        #expect(ClaudeEnvironment.ofChild(from: ["\(name)=1"], adding: [name]).isEmpty)
    }

    @Test func theFirstOfTwoCounts() {
        #expect(ClaudeEnvironment.ofChild(from: ["HOME=/a", "HOME=/b"]) == ["HOME=/a"])
    }

    @Test func aChildIsMarkedOnce() {
        let own = ["HOME=/a", "CLAUDE_MONITOR_RUNNER=forged", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=0"]
        #expect(
            ClaudeEnvironment.marked(own, sessionID: "s") == [
                "HOME=/a", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1", "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1",
                "CLAUDE_MONITOR_RUNNER=s",
            ]
        )
        let named = ClaudeEnvironment.ofChild(
            from: ["CLAUDE_MONITOR_RUNNER=x"],
            adding: ["CLAUDE_MONITOR_RUNNER"]
        )
        #expect(named.isEmpty)
    }
}
