# shellcheck shell=bash
# Sessions that the machine's agent runs. Expects common.sh.

# Whether the machine's agent runs this session: it has written the process into its own state, which REPLY then holds. The agent
# sets CLAUDE_MONITOR_RUNNER; a project's settings can set it too, but cannot know the process.
agent_runs() {
    [[ ${CLAUDE_MONITOR_RUNNER:-} =~ ^[0-9a-f-]{36}$ && ${CLAUDE_PID:-} =~ ^[1-9][0-9]*$ ]] || return
    local file=$state_root/agent/sessions/$CLAUDE_MONITOR_RUNNER/state.json text=''
    # A process that only runs tools.
    [[ -f $file ]] || file=$state_root/agent/hosts/$CLAUDE_MONITOR_RUNNER/state.json
    [[ -f $file && -r $file ]] || return
    IFS= read -r -d '' -n 65536 text <"$file"
    REPLY=$text
    [[ $text =~ \"pid\"[[:space:]]*:[[:space:]]*([0-9]+) && ${BASH_REMATCH[1]} == "$CLAUDE_PID" ]]
}

# Whether the agent ends the session's process only to save memory: the session goes on with its next message.
agent_parks() { agent_runs && [[ $REPLY =~ \"parked\"[[:space:]]*:[[:space:]]*true ]]; }
