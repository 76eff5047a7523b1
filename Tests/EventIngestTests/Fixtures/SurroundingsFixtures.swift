extension HookFixture {
    static let surroundings: [HookFixture] = [
        HookFixture(
            "SessionStart",
            summary: "startup, claude-opus-5-5",
            #""source":"startup","model":"claude-opus-5-5","session_title":"build""#
        ),
        HookFixture("SessionEnd", summary: "prompt_input_exit", #""reason":"prompt_input_exit""#),
        HookFixture("Setup", summary: "init", #""trigger":"init""#),
        HookFixture("PreCompact", summary: "manual", #""trigger":"manual","custom_instructions":null"#),
        HookFixture(
            "PostCompact",
            summary: "auto: We built it.",
            #""trigger":"auto","compact_summary":"We built it.""#
        ),
        HookFixture(
            "PreModelSwitch",
            summary: "claude-sonnet-5-5 → claude-opus-5-5",
            #""from_model":"claude-sonnet-5-5","to_model":"claude-opus-5-5","requested_model":null,"source":"command""#
        ),
        HookFixture(
            "PostModelSwitch",
            summary: "claude-sonnet-5-5 → claude-opus-5-5",
            #""from_model":"claude-sonnet-5-5","to_model":"claude-opus-5-5","requested_model":"opus","#
                + #""source":"picker","context_tokens":1200,"estimated_cache_write_usd":0.0125"#
        ),
        HookFixture(
            "ConfigChange",
            summary: "user_settings: /home/user/.claude/settings.json",
            #""source":"user_settings","file_path":"/home/user/.claude/settings.json""#
        ),
        HookFixture("WorktreeCreate", summary: "feature-x", #""name":"feature-x""#),
        HookFixture("WorktreeRemove", summary: "/home/user/wt/x", #""worktree_path":"/home/user/wt/x""#),
        HookFixture(
            "InstructionsLoaded",
            summary: "/home/user/project/CLAUDE.md",
            #""file_path":"/home/user/project/CLAUDE.md","memory_type":"Project","load_reason":"session_start""#
        ),
        HookFixture("CwdChanged", summary: "/home/user/other", #""old_cwd":"/home/user","new_cwd":"/home/user/other""#),
        HookFixture("FileChanged", summary: "add /home/user/.env", #""file_path":"/home/user/.env","event":"add""#),
        HookFixture(
            "DirectoryAdded",
            summary: "/home/user/lib",
            #""directory":"/home/user/lib","source":"slash_command""#
        ),
        HookFixture(
            "PreSkillShellCommand",
            summary: "deploy (delete): rm -rf build",
            #""tool_name":"Bash","tool_input":{"command":"rm -rf build"},"tool_use_id":"9c646ca3:inner:preamble-0","#
                + #""command_name":"deploy","command_source":"projectSettings","invoked_by":"user""#
        ),
    ]
}
