# shellcheck shell=bash
# Configuration, places and small helpers. bash 3.2 or newer; nothing in this file starts a process.

# Sets conf_file, state, spool and lock.
monitor_places() {
    HOME=${HOME:-~}
    conf_file=${CLAUDE_MONITOR_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/claude-monitor/config}
    state=${CLAUDE_MONITOR_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/claude-monitor}
    spool=$state/spool
    lock=$state/flusher.lock
}

# Reads conf_file (key=value lines, # comments; data, never executed), then lets the environment override it.
# Sets conf_url, conf_key, conf_machine, conf_ca and conf_scope.
monitor_config() {
    local name value
    conf_url='' conf_key='' conf_machine='' conf_ca='' conf_scope=''
    if [[ -r $conf_file && -f $conf_file ]]; then
        while IFS='=' read -r name value || [[ -n $name ]]; do
            value=${value%$'\r'}
            case $name in
                url) conf_url=$value ;;
                key) conf_key=$value ;;
                machine_id) conf_machine=$value ;;
                ca_file) conf_ca=$value ;;
                scope) conf_scope=$value ;;
            esac
        done <"$conf_file"
    fi
    conf_url=${CLAUDE_MONITOR_URL:-${CLAUDE_PLUGIN_OPTION_URL:-$conf_url}}
    conf_key=${CLAUDE_MONITOR_KEY:-${CLAUDE_MONITOR_API_KEY:-${CLAUDE_PLUGIN_OPTION_KEY:-$conf_key}}}
    conf_machine=${CLAUDE_MONITOR_MACHINE_ID:-${CLAUDE_PLUGIN_OPTION_NAME:-$conf_machine}}
    conf_ca=${CLAUDE_MONITOR_CA_FILE:-$conf_ca}
    while [[ $conf_url == */ ]]; do conf_url=${conf_url%/}; done
    conf_url=${conf_url%/api/events}
    if [[ -z $conf_machine && -r /proc/sys/kernel/hostname ]]; then
        read -r conf_machine </proc/sys/kernel/hostname
    fi
    conf_machine=${conf_machine:-${HOSTNAME:-unknown}}
}

# REPLY = $1 as the inside of a JSON string. Control characters become spaces.
json_escape() {
    REPLY=$1
    case $REPLY in
        *[\\\"[:cntrl:]]*)
            REPLY=${REPLY//\\/\\\\}
            REPLY=${REPLY//\"/\\\"}
            REPLY=${REPLY//[[:cntrl:]]/ }
            ;;
    esac
}

# Seconds without a sign of life after which a flusher's lock counts as stale, even if its pid is in use.
lock_patience=120

# True if the lock belongs to a live flusher; $1 = now (Unix seconds). Sets lock_pid and lock_time.
lock_held() {
    lock_pid='' lock_time=''
    [[ -s $lock ]] && read -r lock_pid lock_time <"$lock"
    case $lock_pid in '' | *[!0-9]*) return 1 ;; esac
    case $lock_time in '' | *[!0-9]*) return 1 ;; esac
    kill -0 "$lock_pid" 2>/dev/null || return 1
    # A killed process that nobody has waited for yet still takes signals.
    if [[ -r /proc/$lock_pid/stat ]]; then
        read -r lock_state <"/proc/$lock_pid/stat"
        [[ ${lock_state##*) } != Z* ]] || return 1
    fi
    (($1 - lock_time < lock_patience && lock_time - $1 < lock_patience))
}
