#!/usr/bin/env bash
# Downloads the hooks of a monitor server and registers them in Claude Code on this machine. The server serves this file as
# /install.sh, with its address and the digests of its hooks and agents:
#
#   curl -fsS https://monitor.example/install.sh | CLAUDE_MONITOR_API_KEY=cmk_... bash
#   curl -fsS https://monitor.example/install.sh | bash -s -- --key-file FILE --no-transcripts
#   curl -fsS https://monitor.example/install.sh | bash -s -- --agent

usage() {
    cat <<'TEXT'
usage: curl -fsS SERVER/install.sh | bash -s -- [--key-file FILE] [OPTION ...]

  --key-file FILE   a file with this machine's key (cmk_...). Without it the key is CLAUDE_MONITOR_API_KEY, or else the script
                    asks for it at the terminal
  --ca-file FILE    certificate authority of the server, if the system does not trust it (curl needs --cacert FILE, too)
  --url URL         the server's address, if it is not the one from which this script was downloaded
  --allow-http      use an http:// address beyond this machine: others on the way can read the key and the events

  --agent           also install the machine's agent, which starts and drives Claude Code for devices. It asks before it allows
                    anything (--yes: it does not ask; --root PATH, --no-service)

The other options are those of the hooks' install.sh, such as --name MACHINE, --no-transcripts, --no-telemetry and --dry-run.
Exit status: 0 done; 1 refused, nothing was changed; 2 a tool is missing; 3 the hooks are installed, but not the agent or the tools.
TEXT
}

die() {
    printf 'claude-monitor: %s\n' "$2" >&2
    exit "$1"
}

# Reads key from the terminal without echo. Echo is switched off before the question appears, because a person may paste the
# key at once.
ask_for_key() {
    # `terminal` is global because the trap may run outside this function.
    terminal=$(stty -g </dev/tty)
    trap 'stty "$terminal" </dev/tty' EXIT
    stty -echo </dev/tty
    printf 'Key of this machine (cmk_..., Enter keeps the one of an earlier install): ' >/dev/tty
    IFS= read -r key </dev/tty
    printf '\n' >/dev/tty
    stty "$terminal" </dev/tty
    trap - EXIT
}

# Sets key: from the file $1, else from the environment, else from the terminal. Empty keeps the key of an earlier install.
find_key() {
    key=${CLAUDE_MONITOR_API_KEY:-}
    unset -v CLAUDE_MONITOR_API_KEY
    if [[ -n $1 ]]; then
        IFS= read -r key <"$1" || [[ -n $key ]] || die 1 "$1 holds no key"
    elif [[ -z $key ]] && { : </dev/tty; } 2>/dev/null; then
        ask_for_key
    fi
    key=${key%$'\r'}
}

# True if nobody between this machine and the address $1 can read the key.
is_safe() {
    local loopback='^http://(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]+)?(/|$)'
    [[ $1 == https://* || $1 =~ $loopback ]]
}

# Prints the SHA-256 of the file $1 in hexadecimal digits.
digest_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1"
    else
        shasum -a 256 "$1"
    fi | cut -d ' ' -f 1
}

# Everything happens in this function, so that a download that was cut off does nothing.
main() {
    umask 077
    local url=@URL@ digest=@SHA256@ agents=@AGENTS@ key='' key_file='' ca='' allow_http=no rest=()
    while (($# > 0)); do
        case $1 in
            --key-file | --ca-file | --url) (($# > 1)) || die 1 "$1 needs a value" ;;
        esac
        case $1 in
            --key-file) key_file=$2 && shift 2 ;;
            --ca-file) ca=$2 rest+=("$1" "$2") && shift 2 ;;
            --url) url=$2 && shift 2 ;;
            --allow-http) allow_http=yes rest+=("$1") && shift ;;
            --agent) rest+=("$1" --agent-releases "${agents:-none}") && shift ;;
            -h | --help) usage && exit 0 ;;
            *) rest+=("$1") && shift ;;
        esac
    done
    while [[ $url == */ ]]; do url=${url%/}; done
    is_safe "$url" || [[ $allow_http == yes ]] ||
        die 1 "$url is not encrypted: others could read the key. If the server has an https address, use it: --url https://...
(behind a proxy, MONITOR_TRUSTED_PROXIES of the server makes that the default). --allow-http uses this address all the same."
    local tool
    for tool in curl awk tar; do command -v "$tool" >/dev/null || die 2 "$tool is needed; please install it"; done
    find_key "$key_file"
    work=$(mktemp -d) || die 1 "there is no directory for temporary files"
    trap 'rm -rf "$work"' EXIT
    curl -fsS --proto "=${url%%:*}" --max-time 120 ${ca:+--cacert "$ca"} -o "$work/hooks.tar.gz" "$url/hooks.tar.gz" ||
        die 1 "the hooks cannot be downloaded from $url"
    [[ $(digest_of "$work/hooks.tar.gz") == "$digest" ]] || die 1 "the downloaded hooks are not those of this script: try again"
    tar -xzf "$work/hooks.tar.gz" -C "$work" || die 1 "the downloaded hooks cannot be unpacked"
    if [[ -n $key ]]; then
        printf '%s\n' "$key" | bash -p "$work/hooks/install.sh" --url "$url" --key - ${rest[@]+"${rest[@]}"}
    else
        bash -p "$work/hooks/install.sh" --url "$url" ${rest[@]+"${rest[@]}"} </dev/null
    fi
}

main "$@"
