# shellcheck shell=bash
# Installs and removes the machine's agent, which starts and drives Claude Code for devices. Expects common.sh and setup.sh, and
# for the download stamp.sh and send.sh.

# Sets agent_program and agent_key_file, the public key that `monitor-agent update` verifies releases with.
agent_places() {
    agent_program=$HOME/.local/bin/monitor-agent
    agent_key_file=${conf_file%/*}/agent.pub
}

# REPLY = this machine's platform, as the server names it.
agent_platform() {
    local processor
    processor=$(uname -m)
    [[ $processor == arm64 ]] && processor=aarch64
    REPLY=$(uname -s | tr '[:upper:]' '[:lower:]')-$processor
}

# Prints the value of the field $1 in the head of the server's answer.
agent_head() { awk -v name="$1:" '{ sub(/\r$/, "") } tolower($1) == name { value = $2 } END { print value }' "$work/agent-head"; }

# Sets agent_version, agent_digest and agent_key from the table $2 (lines of platform, version, digest and key) for the platform
# $1. Without a table they stay empty.
agent_choose() {
    local platform version digest key
    agent_version='' agent_digest='' agent_key=''
    while read -r platform version digest key; do
        [[ $platform == "$1" ]] && agent_version=$version agent_digest=$digest agent_key=$key
    done <<<"$2"
    [[ -z $2 || -n $agent_digest ]] || agent_not_built "$1"
}

agent_not_built() {
    local advice="'make agent' in the server's source, on a machine of that kind, builds it as .build/agent/$1; copy that to"
    advice="$advice the server's share/claude-monitor/agent and restart the server"
    die 1 "the server at $conf_url has no agent for $1; nothing was changed. $advice"
}

# Downloads the agent for this machine beside its place, compares its digest, and tries it. Exits if it cannot be used. The table
# $1 is that of the server's /install.sh; without it, the server states the digest with the program.
agent_fetch() {
    local said next=$agent_program.new
    agent_platform
    local platform=$REPLY
    agent_choose "$platform" "$1"
    (umask 022 && mkdir -p "${agent_program%/*}") || die 1 "${agent_program%/*} cannot be created"
    http_status=$(
        curl_config "/agent/$platform" | curl_bounded 65536 -q --config - --silent --globoff --proto '=http,https' \
            --connect-timeout 10 --max-time 600 --dump-header "$work/agent-head" --output "$work/monitor-agent" \
            --write-out '%{http_code}'
    ) || http_status=000
    case $http_status in
        200) ;;
        404) agent_not_built "$platform" ;;
        *) die 1 "the agent cannot be downloaded from $conf_url (HTTP $http_status); nothing was changed" ;;
    esac
    if [[ -z $agent_digest ]]; then
        agent_version=$(agent_head x-agent-version) agent_digest=$(agent_head x-agent-sha256)
        agent_key=$(agent_head x-agent-key)
    fi
    local sum=(sha256sum)
    command -v sha256sum >/dev/null || sum=(shasum -a 256)
    said=$("${sum[@]}" <"$work/monitor-agent")
    [[ -n $agent_digest && ${said%% *} == "$agent_digest" ]] ||
        die 1 "the downloaded agent is not the one that the server describes; nothing was changed: try again"
    [[ $agent_key =~ ^[A-Za-z0-9_-]{43}$ ]] || agent_key=''
    if [[ -n $agent_key && -s $agent_key_file && $(cat "$agent_key_file") != "$agent_key" ]]; then
        local advice="if that is as it should be, remove $agent_key_file and run this again"
        die 1 "the server's agent is signed with another key than at the first install; nothing was changed; $advice"
    fi
    { cp "$work/monitor-agent" "$next" && chmod 755 "$next"; } || die 1 "$next cannot be written"
    if said=$("$next" version 2>&1) && [[ $said == "monitor-agent $agent_version" ]]; then return; fi
    rm -f "$next"
    die 1 "the agent does not run on this machine; nothing was changed: ${said:0:300}"
}

# Puts the downloaded program into its place. It writes the machine's file after a yes at the terminal, and starts its service;
# the sessions of an earlier agent run on. $@ are options of `monitor-agent install`.
agent_install() {
    mv -f "$agent_program.new" "$agent_program" || die 3 "$agent_program cannot be written; the hooks are installed"
    if [[ -n $agent_key ]]; then
        printf '%s\n' "$agent_key" >"$agent_key_file"
    elif [[ ! -s $agent_key_file ]]; then
        say "the server's agent is not signed: run this again for a newer one, because monitor-agent update refuses it"
    fi
    say "agent: $agent_program, version $agent_version"
    local input=/dev/null
    if { : </dev/tty; } 2>/dev/null; then input=/dev/tty; fi
    # The agent stores the environment of the person's shell for its sessions.
    (unset -v LC_ALL && "$agent_program" install "$@" <"$input") ||
        die 3 "the hooks are installed, but the agent is not set up; when that is mended: $agent_program install"
}

# Stops the agent that agent_install has installed, and removes it.
agent_remove() {
    grep -qs '^agent=' "$conf_file" || return 0
    if [[ -x $agent_program ]]; then
        "$agent_program" uninstall --yes </dev/null || warn "the agent cannot be stopped"
    fi
    rm -f "$agent_program" "$agent_key_file"
    say "agent removed"
}
