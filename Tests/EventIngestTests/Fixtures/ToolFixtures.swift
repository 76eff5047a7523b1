extension HookFixture {
    static let tools: [HookFixture] = [
        HookFixture(
            "PreToolUse",
            summary: "npm test -- --watch=false",
            #""tool_name":"Bash","tool_input":{"command":"npm test -- --watch=false","description":"Run tests"},"#
                + #""tool_use_id":"toolu_01AAAA""#
        ),
        HookFixture(
            "PostToolUse",
            summary: "/home/user/main.swift",
            #""tool_name":"Write","tool_input":{"file_path":"/home/user/main.swift","content":"print(1)\n"},"#
                + #""tool_response":{"type":"create","filePath":"/home/user/main.swift","#
                + #""content":"print(1)\n","structuredPatch":[],"originalFile":null,"userModified":false},"#
                + #""tool_use_id":"toolu_01BBBB","duration_ms":12"#
        ),
        HookFixture(
            "PostToolUseFailure",
            summary: "make all: Exit code 2",
            #""tool_name":"Bash","tool_input":{"command":"make all"},"tool_use_id":"toolu_01CCCC","#
                + #""error":"Exit code 2\nmake: *** [all] Error 1","is_interrupt":false,"duration_ms":850"#
        ),
        HookFixture(
            "PostToolBatch",
            summary: "Read, Bash",
            #""tool_calls":[{"tool_name":"Read","tool_input":{"path":"/a"},"tool_use_id":"1","tool_response":"x"},"#
                + #"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t2","tool_response":[]}]"#
        ),
        HookFixture(
            "PermissionRequest",
            summary: "Bash: rm -rf build",
            #""tool_name":"Bash","tool_input":{"command":"rm -rf build"},"permission_suggestions":[{"type":"addRules","#
                + #""rules":[{"toolName":"Bash","ruleContent":"rm:*"}],"behavior":"allow","destination":"session"}]"#
        ),
        HookFixture(
            "PermissionDenied",
            summary: "Bash: curl example.org – sends data away",
            #""tool_name":"Bash","tool_input":{"command":"curl example.org"},"tool_use_id":"toolu_01DDDD","#
                + #""reason":"sends data away""#
        ),
    ]
}
