extension HookFixture {
    static let turns: [HookFixture] = [
        HookFixture(
            "UserPromptSubmit",
            summary: "Fix the build, please",
            #""prompt":"\n  Fix the build,  please\nand then the tests","session_title":"build""#
        ),
        HookFixture(
            "UserPromptExpansion",
            summary: "/review main",
            #""expansion_type":"slash_command","command_name":"review","command_args":"main","prompt":"/review main""#
        ),
        HookFixture(
            "Notification",
            summary: "Claude needs your permission to use Bash",
            #""message":"Claude needs your permission to use Bash","title":"Permission","#
                + #""notification_type":"permission_prompt""#
        ),
        HookFixture(
            "Stop",
            summary: "All done. ✅",
            #""stop_hook_active":false,"last_assistant_message":"All done. ✅\n\n- one","background_tasks":[],"#
                + #""session_crons":[]"#
        ),
        HookFixture(
            "StopFailure",
            summary: "rate_limit: API Error 429",
            #""error":"rate_limit","error_details":"API Error 429","last_assistant_message":"limit""#
        ),
        HookFixture("SubagentStart", summary: "Explore", #""agent_id":"a1b2","agent_type":"Explore""#),
        HookFixture(
            "SubagentStop",
            summary: "Explore: Found it.",
            #""agent_id":"a1b2","agent_type":"Explore","agent_transcript_path":"/t.jsonl","stop_hook_active":false,"#
                + #""last_assistant_message":"Found it.\nMore""#
        ),
        HookFixture(
            "TaskCreated",
            summary: "Write the parser",
            #""task_id":"1","task_subject":"Write the parser","task_description":"all of it""#
        ),
        HookFixture("TaskCompleted", summary: "Write the parser", #""task_id":"1","task_subject":"Write the parser""#),
        HookFixture("TeammateIdle", summary: "builder", #""teammate_name":"builder","team_name":"crew""#),
        HookFixture(
            "MessageDisplay",
            summary: "Let me look.",
            #""turn_id":"u1","message_id":"u2","index":0,"final":false,"delta":"Let me look.""#
        ),
        HookFixture(
            "Elicitation",
            summary: "calendar: Which day?",
            #""mcp_server_name":"calendar","message":"Which day?","mode":"form","requested_schema":{"type":"object"}"#
        ),
        HookFixture(
            "ElicitationResult",
            summary: "calendar: accept",
            #""mcp_server_name":"calendar","action":"accept","content":{"day":"Monday"}"#
        ),
    ]
}
