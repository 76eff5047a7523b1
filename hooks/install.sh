#!/usr/bin/env bash
# Registers the hooks in Claude Code's settings on this machine, so that sessions report to a monitor server.

set -u
umask 077
unset -v CDPATH
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
. "$here/lib/environment.sh" && environment_forget here proxy_variables agent_variables "${proxy_variables[@]}" no_proxy NO_PROXY \
    "${agent_variables[@]}" || exit 1
. "$here/lib/common.sh"
. "$here/lib/setup.sh"
. "$here/lib/agent.sh"
. "$here/lib/mcp.sh"

usage() {
    cat <<'TEXT'
usage: install.sh --url URL --key KEY [--name MACHINE] [--scope user|project] [--dry-run]

  --url URL        the server, such as https://monitor.example or http://127.0.0.1:8766
  --key KEY        this machine's key (cmk_...); - reads it from standard input
  --name MACHINE   the machine's name in the monitor; default: the host name
  --scope SCOPE    user (default): every project of this account; project: only the one in this directory
  --ca-file FILE   certificate authority of the server, if the system does not trust it
  --allow-http     use an http:// address beyond this machine: others on the way can read the key and the events; not with --agent
  --proxy URL      the proxy to the server; --no-proxy: none. Without these options, the proxy of this shell's environment is
                   written to the configuration file, because the hooks ignore the environment
  --no-transcripts   do not send the sessions' transcripts; --transcripts sends them again
  --no-telemetry     do not set up Claude Code's telemetry (tokens, cost); --telemetry sets it up again
  --agent          also install the machine's agent, which starts and drives Claude Code for devices, from the server to
                   ~/.local/bin/monitor-agent. It asks before it allows anything. With it: --yes (do not ask), --root PATH (a
                   directory below which sessions may work; default: your trusted projects), --no-service (do not start it)
  --mcp            also give Claude Code the monitor's tools, so that claude -p can ask your devices. It needs the agent's
                   program, so add --agent at the first time
  --dry-run        show the changes, but make none
  --claude-version VERSION   register the events that this version of Claude Code knows; default: the output of `claude --version`
                   (run install.sh again after an update that brings new events)

If an option is missing, its value comes from the environment: CLAUDE_MONITOR_URL with CLAUDE_MONITOR_KEY (both must be set),
CLAUDE_MONITOR_MACHINE_ID, CLAUDE_MONITOR_CA_FILE; otherwise from the configuration file of an earlier install.

Exit status: 0 done; 1 refused, nothing was changed; 2 a tool is missing; 3 the hooks are installed, but not the agent or the tools.
TEXT
}

parse_options() {
    scope=user url='' key='' machine='' ca='' dry_run=no version='' transcripts='' telemetry='' proxy='' proxy_from='' allow_http=no
    mcp=no agent=no agent_releases='' agent_options=()
    while (($# > 0)); do
        case $1 in
            --url | --key | --name | --scope | --ca-file | --proxy | --claude-version | --root | --agent-releases)
                (($# > 1)) || die 1 "$1 needs a value"
                ;;
        esac
        case $1 in
            --url) url=$2 ;;
            --key) key=$2 ;;
            --name) machine=$2 ;;
            --scope) scope=$2 ;;
            --ca-file) ca=$2 ;;
            --proxy) proxy=$2 proxy_from=--proxy ;;
            --no-proxy) proxy='' proxy_from=--no-proxy ;;
            --claude-version) version=$2 ;;
            --dry-run) dry_run=yes ;;
            --agent | --mcp) printf -v "${1#--}" yes ;;
            --agent-releases) agent_releases=$2 ;; # from /install.sh
            --yes | --no-service) agent_options+=("$1") ;;
            --root) agent_options+=("$1" "$2") ;;
            --allow-http) allow_http=yes ;;
            --no-transcripts) transcripts=off ;;
            --transcripts) transcripts=on ;;
            --no-telemetry) telemetry=off ;;
            --telemetry) telemetry=on ;;
            -h | --help) usage && exit 0 ;;
            *) usage >&2 && die 1 "unknown option $1" ;;
        esac
        case $1 in
            --dry-run | --allow-http | --no-proxy | --no-transcripts | --transcripts | --no-telemetry | --telemetry) shift ;;
            --agent | --mcp | --yes | --no-service) shift ;;
            *) shift 2 ;;
        esac
    done
    if [[ $key == - ]]; then
        IFS= read -r key || [[ -n $key ]] || die 1 "no key on standard input"
        key=${key%$'\r'}
    fi
}

# Sets the configuration from the options, else from the environment, else from the configuration file. Checks all values.
settle_configuration() {
    monitor_config
    # A key from the command line is sent to an address from the command line or the file, never to one from the environment.
    [[ -n $key && -z $url ]] && conf_url=$file_url
    [[ -n $url ]] && conf_url=$url
    [[ -n $key ]] && conf_key=$key
    [[ -n $machine ]] && conf_machine=$machine
    [[ -n $ca ]] && conf_ca=$ca
    plain_url "$conf_url" && conf_url=$REPLY
    state_at "$state_root"
    settle_proxy
    telemetry=${telemetry:-$conf_telemetry}
    transcripts=${transcripts:-${CLAUDE_MONITOR_TRANSCRIPTS:-$conf_transcripts}}
    local line_break='*[[:cntrl:]]*'
    # shellcheck disable=SC2053
    [[ $conf_url$conf_key$conf_machine$conf_ca$conf_proxy == $line_break ]] && die 1 "a value contains a control character"
    [[ -n $conf_url ]] || die 1 "--url is missing"
    local form='^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'
    [[ $conf_url =~ $form ]] || die 1 "--url must look like https://host or http://host:port"
    [[ -n $conf_key ]] || die 1 "--key is missing"
    form='^cmk_[0-9A-Za-z]{36}$'
    [[ $conf_key =~ $form ]] || die 1 "not a machine key: cmk_ and 36 letters and digits (monitorctl key create NAME)"
    [[ -z $conf_ca || -r $conf_ca ]] || die 1 "$conf_ca cannot be read"
    form='^http://(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]+)?(/|$)'
    [[ $conf_url == https://* || $conf_url =~ $form ]] && return
    [[ $allow_http == yes ]] || die 1 "$conf_url is not encrypted: others can read the key and the events (--allow-http: use it)"
    [[ $agent$mcp == nono ]] || die 1 "$conf_url is not encrypted: the agent takes commands from an https:// address only"
    warn "$conf_url is not encrypted: others can read the key and the events"
}

# Sets conf_proxy from the option, else from this shell's environment, else from the configuration file.
settle_proxy() {
    local form='^((https?|socks[45][ah]?)://)?[^/@[:space:]]*(@[^/@[:space:]]+)?/?$'
    if [[ -z $proxy_from ]]; then
        environment_proxy "$conf_url"
        proxy_from=$REPLY
        [[ -n $proxy_from ]] && proxy=${!proxy_from}
    fi
    [[ -n $proxy_from ]] && conf_proxy=$proxy
    [[ -z $conf_proxy || $conf_proxy =~ $form ]] || die 1 "a proxy must look like http://host:port"
    # Do not show a user and a password.
    local shown_proxy=${conf_proxy##*@}
    case $proxy_from in
        '') [[ -z $conf_proxy ]] || say "proxy: $shown_proxy, as before (--no-proxy removes it)" ;;
        --no-proxy) say "proxy: none; the environment of a session is ignored" ;;
        --*) say "proxy: $shown_proxy" ;;
        *) say "proxy: $shown_proxy, from this shell's $proxy_from (--no-proxy: none); the environment of a session is ignored" ;;
    esac
}

# Asks the server whether it accepts the key. If the server does not answer, the installation goes on.
verify_server() {
    local batch_file=$work/probe http_status answer retry_after state=$work
    . "$here/lib/stamp.sh"
    . "$here/lib/send.sh"
    printf '[]' >"$batch_file"
    batch_post
    case $http_status in
        400 | 422 | 200 | 202) say "the server at $conf_url accepts the key" ;;
        401 | 403) die 1 "the server at $conf_url refuses this key (HTTP $http_status); nothing was changed" ;;
        000) warn "no answer from $conf_url; events wait in $spool until the server answers" ;;
        *) warn "$conf_url answers HTTP $http_status; is it the monitor's address?" ;;
    esac
}

# True if version $1 is at least version $2.
version_reaches() {
    local IFS=. i
    # shellcheck disable=SC2206
    local has=($1) needs=($2)
    for i in 0 1 2; do
        ((10#${has[i]:-0} > 10#${needs[i]:-0})) && return 0
        ((10#${has[i]:-0} < 10#${needs[i]:-0})) && return 1
    done
    return 0
}

# The version of Claude Code to assume if `claude --version` does not work.
readonly assumed_version=2.1.251

# want = the hooks for this machine's Claude Code: lines "Event seconds" or "Event seconds argument".
choose_events() {
    local event limit since argument form='^[0-9]+\.[0-9]+\.[0-9]+'
    if [[ -z $version ]] && command -v claude >/dev/null; then version=$(claude --version 2>/dev/null </dev/null); fi
    if [[ $version =~ $form ]]; then version=${BASH_REMATCH[0]}; else version=$assumed_version; fi
    want=''
    while read -r event limit since argument; do
        case $event in '' | '#'*) continue ;; esac
        version_reaches "$version" "$since" || continue
        want="$want$event $limit${argument:+ $argument}"$'\n'
    done <"$here/events.txt"
}

# Sets telemetry_settings, the variables that make Claude Code send its telemetry to the server (lines NAME=VALUE), and
# telemetry_helper, the command that prints the headers.
choose_telemetry() {
    telemetry_settings='' telemetry_helper=''
    [[ $telemetry == off ]] && return
    telemetry_settings="CLAUDE_CODE_ENABLE_TELEMETRY=1
OTEL_METRICS_EXPORTER=otlp
OTEL_LOGS_EXPORTER=otlp
OTEL_EXPORTER_OTLP_PROTOCOL=http/json
OTEL_EXPORTER_OTLP_ENDPOINT=$conf_url${conf_ca:+
OTEL_EXPORTER_OTLP_CERTIFICATE=$conf_ca}"
    shell_quote "$installed/otel-headers.sh"
    telemetry_helper="bash -p $REPLY"
}

copy_scripts() {
    local file
    [[ $here == "$installed" ]] && return 0
    mkdir -p "$installed/lib" || return 1
    for file in lib/{elsewhere,portable,runner,common,environment,stamp,lock,stream,spool,send,poll,transcripts,flush,hold}.sh \
        lib/{message,sessions,watch,setup,agent,mcp}.sh \
        lib/{json,mcp,settings,telemetry,values,shell,quotes,arithmetic,words,risk,commands,options,exact,approvals,permissions}.awk \
        lib/{policy,answer,message}.awk events.txt risk.tsv \
        {uninstall,install,import,otel-headers,session-monitor}.sh; do
        cp "$here/$file" "$installed/$file.new" && mv -f "$installed/$file.new" "$installed/$file" || return 1
    done
    chmod 700 "$installed"/*.sh
}

# Writes the configuration file. Keeps lines with other names.
write_config() {
    local name value
    mkdir -p "${conf_file%/*}" "$state" && chmod 700 "$state" || return 1
    {
        [[ -r $conf_file ]] && while IFS='=' read -r name value || [[ -n $name ]]; do
            case $name in url | key | machine_id | ca_file | proxy | scope | transcripts | telemetry) continue ;; esac
            [[ $name == agent && $agent == yes ]] && continue
            printf '%s%s\n' "$name" "${value:+=$value}"
        done <"$conf_file"
        printf 'url=%s\nkey=%s\nmachine_id=%s\n' "$conf_url" "$conf_key" "$conf_machine"
        [[ -n $conf_ca ]] && printf 'ca_file=%s\n' "$conf_ca"
        [[ -n $conf_proxy ]] && printf 'proxy=%s\n' "$conf_proxy"
        [[ $scope == user || $conf_scope == user ]] && printf 'scope=user\n'
        [[ $transcripts == off ]] && printf 'transcripts=off\n'
        [[ $telemetry == off ]] && printf 'telemetry=off\n'
        [[ $agent == yes ]] && printf 'agent=%s\n' "$agent_program"
    } >"$work/config"
    cmp -s "$work/config" "$conf_file" 2>/dev/null && chmod 600 "$conf_file" && return 0
    replace_file "$conf_file" "$work/config" && chmod 600 "$conf_file"
}

show_change() {
    if ((changed == 3)); then
        say "$settings already has the hooks"
    else
        say "change to $settings:"
        diff -u "$work/old" "$work/new" | LC_ALL=C tr -d '\000-\010\013-\037\177'
    fi
    say "would write $conf_file (the key is not shown) and copy the scripts to $installed"
    [[ $agent == no ]] || say "would download the agent to $agent_program and ask what it may do"
    [[ $mcp == no ]] || say "would add the MCP server monitor to Claude Code ($mcp_program mcp)"
    say "dry run: nothing was changed"
}

main() {
    parse_options "$@"
    command -v curl >/dev/null || die 2 "curl is needed to send the events; please install it"
    command -v awk >/dev/null || die 2 "awk is needed to edit the settings; please install it"
    setup_places
    agent_places
    settle_configuration
    [[ $mcp == no ]] || mcp_prepare "$agent"
    verify_server
    choose_events
    choose_telemetry
    record_load
    local earlier=$made changed=0
    shell_quote "$installed/session-monitor.sh"
    settings_edit install "$want" "bash -p $REPLY" "$telemetry_settings" "$telemetry_helper" || changed=$?
    if [[ $dry_run == yes ]]; then
        show_change
        return
    fi
    [[ $agent == no ]] || agent_fetch "$agent_releases"
    copy_scripts || die 1 "the scripts cannot be copied to $installed"
    write_config || die 1 "$conf_file cannot be written"
    if ((changed == 3)); then
        say "$settings already has the hooks"
    else
        local containers=''
        [[ -e $settings_file ]] || containers="file"
        settings_commit
        [[ -s $work/made ]] && containers="$containers $(cat "$work/made")"
        [[ $earlier == - ]] || containers="$containers $earlier"
        record_save "$containers" || warn "$record cannot be written"
        say "hooks registered in $settings"
    fi
    if [[ $scope == project ]]; then
        warn "project hooks run only in folders that Claude Code trusts; the settings file now contains a path of your account"
    fi
    if grep -q '"disableAllHooks"[[:space:]]*:[[:space:]]*true' "$settings"; then
        warn "disableAllHooks is on in $settings: no hook runs"
    fi
    if [[ $telemetry == off ]]; then
        say "Claude Code's telemetry is not set up: the monitor shows no exact tokens and cost"
    elif [[ -s $work/told ]]; then
        warn "$settings already configures telemetry; it was not changed, and the monitor gets no telemetry"
    else
        say "telemetry (tokens, cost; no content) is sent to the server too (--no-telemetry: not)"
    fi
    case $transcripts in
        off) say "transcripts are not sent" ;;
        *) say "transcripts are sent too (--no-transcripts: not); ${installed}/import.sh sends earlier ones" ;;
    esac
    say "machine: $conf_machine; new Claude Code sessions report to $conf_url"
    [[ $agent == no ]] || agent_install ${agent_options[@]+"${agent_options[@]}"}
    [[ $mcp == no ]] || mcp_install
}

main "$@"
