# Prints what Claude Code has as the user's MCP server `monitor`: absent, same, ours or other. Runs after json.awk, with LC_ALL=C.
#
# Standard input: Claude Code's configuration.
# Environment: COMMAND the program of the server that install.sh adds, CONFIG the configuration file that it names
# Exit: 1 if the configuration is not valid.

BEGIN { RS = "\n"; text = "" }
{ text = text (NR > 1 ? "\n" : "") $0 }
END {
    if (text ~ /^[ \t\r\n]*$/) text = "{}"
    parse()
    print state(member(member(1, "mcpServers"), "monitor"))
    exit 0
}

function refuse(why) { exit 1 }

function state(server,    command, args, env) {
    if (!server) return "absent"
    command = plain_text(member(server, "command"))
    args = member(server, "args")
    if (command !~ /\/monitor-agent$/ || !args || kids[args] != 1 || plain_text(kid[args, 1]) != "mcp") return "other"
    env = member(server, "env")
    if (command != ENVIRON["COMMAND"] || !env || kids[env] != 1) return "ours"
    return plain_text(member(env, "CLAUDE_MONITOR_CONFIG")) == ENVIRON["CONFIG"] ? "same" : "ours"
}

function plain_text(node) { return node && kind[node] == "s" ? value[node] : "" }
