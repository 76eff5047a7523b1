# shellcheck shell=bash
# Adds the monitor's tools to Claude Code as the MCP server `monitor`, and removes them. The server is `monitor-agent mcp`, which
# reads the key from the configuration file. Claude Code's own command changes its configuration, because sessions that run write
# the same file. The file mcp.json beside the configuration file has the server too, for runs that must not take another one of
# this name from the folder. Expects common.sh, setup.sh and agent.sh.

# Sets mcp_program, the agent's program. Exits if the tools cannot be added. $1: the agent is being installed (yes, no).
mcp_prepare() {
    [[ $scope == user ]] || die 1 "--mcp is for all projects of this account; it does not go with --scope $scope"
    mcp_program=$agent_program
    if [[ $1 == no ]]; then
        [[ -x $mcp_program ]] || mcp_program=$(type -P monitor-agent)
        [[ $mcp_program == /* ]] ||
            die 1 "--mcp needs the agent's program, which is not installed; nothing was changed: add --agent"
        mcp_knows || die 1 "$mcp_program is too old for --mcp; nothing was changed: add --agent for the server's version"
    fi
    command -v claude >/dev/null || die 2 "--mcp needs Claude Code, and 'claude' is not in the search path; nothing was changed"
}

mcp_knows() { "$mcp_program" mcp --help >/dev/null 2>&1 </dev/null; }

# mcp_state = what Claude Code has as its server `monitor`: absent, same (as mcp_install adds it), ours (an earlier one), other,
# or unreadable.
mcp_look() {
    local record_dir=$HOME
    [[ ${CLAUDE_CONFIG_DIR:-} == /* ]] && record_dir=$CLAUDE_CONFIG_DIR
    mcp_state=absent
    [[ -e $record_dir/.claude.json ]] || return 0
    mcp_state=$(LC_ALL=C COMMAND=${mcp_program:-} CONFIG=$conf_file awk -f "$here/lib/json.awk" -f "$here/lib/mcp.awk" \
        <"$record_dir/.claude.json" 2>/dev/null) || mcp_state=unreadable
}

# Runs `claude mcp $@` away from the files of the present directory.
mcp_claude() { (cd "$HOME" && claude mcp "$@") >"$work/claude" 2>&1 </dev/null; }

mcp_install() {
    local command config entry
    mcp_knows || mcp_failed "$mcp_program is too old"
    json_escape "$mcp_program" && command=$REPLY
    json_escape "$conf_file" && config=$REPLY
    config="\"env\":{\"CLAUDE_MONITOR_CONFIG\":\"$config\"}"
    entry="{\"type\":\"stdio\",\"command\":\"$command\",\"args\":[\"mcp\"],$config}"
    printf '{"mcpServers":{"monitor":%s}}\n' "$entry" >"$work/mcp"
    replace_file "${conf_file%/*}/mcp.json" "$work/mcp" || mcp_failed "${conf_file%/*}/mcp.json cannot be written"
    mcp_look
    case $mcp_state in
        same)
            say "Claude Code already has the MCP server monitor"
            return
            ;;
        ours) mcp_claude remove --scope user monitor || mcp_failed ;;
        other) mcp_failed "it has another MCP server of the name monitor, which was not changed" ;;
        unreadable) mcp_failed "its configuration cannot be read" ;;
    esac
    mcp_claude add-json --scope user monitor "$entry" || mcp_failed
    mcp_look
    [[ $mcp_state == same ]] || mcp_failed
    say "Claude Code has the MCP server monitor. This asks your devices, also in a folder that has another server of this name:"
    say "  claude -p --strict-mcp-config --mcp-config ${conf_file%/*}/mcp.json --permission-prompt-tool mcp__monitor__approve"
}

mcp_failed() {
    die 3 "the hooks are installed, but Claude Code does not have the monitor's tools: ${1:-$(head -c 300 "$work/claude")}"
}

# Removes the server if it is ours.
mcp_remove() {
    rm -f "${conf_file%/*}/mcp.json"
    mcp_look
    case $mcp_state in same | ours) ;; *) return 0 ;; esac
    if command -v claude >/dev/null && mcp_claude remove --scope user monitor; then
        say "MCP server monitor removed from Claude Code"
    else
        warn "the MCP server monitor is still in Claude Code: claude mcp remove --scope user monitor"
    fi
}
