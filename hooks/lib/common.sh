# shellcheck shell=bash
# Configuration, paths and small helpers. Needs bash 3.2 or newer. Nothing in this file starts a process.

# Unset the variables with which a session's environment could change this shell: its mode, its limits, its search for programs
# and its time zone. `bash -p` ignores the other variables of this kind. Quiet hours use the system's time zone, or that of the
# configuration file.
# The test is faster than unset, and few environments set one of them.
[[ -z ${POSIXLY_CORRECT+x}${BASH_COMPAT+x}${BASH_XTRACEFD+x}${EXECIGNORE+x}${FUNCNEST+x}${GLOBSORT+x}${TMOUT+x}${TZ+x} ]] \
    || unset -v POSIXLY_CORRECT BASH_COMPAT BASH_XTRACEFD EXECIGNORE FUNCNEST GLOBSORT TMOUT TZ
export LC_ALL=C

# REPLY = $1 if that is a whole number of at most nine digits, else $2. Arithmetic in bash evaluates any text and can run commands
# in it, so every number from the environment or a file must pass through this function first.
number() {
    case $1 in
        '' | *[!0-9]* | ??????????*) REPLY=$2 ;;
        *) REPLY=$((10#$1)) ;;
    esac
}

# Sets conf_file, state_root, state, spool and lock.
monitor_places() {
    HOME=${HOME:-~}
    conf_file=${CLAUDE_MONITOR_CONFIG:-${XDG_CONFIG_HOME:-$HOME/.config}/claude-monitor/config}
    state_root=${CLAUDE_MONITOR_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/claude-monitor}
    state_at "$state_root"
}

state_at() {
    state=$1
    spool=$state/spool
    lock=$state/flusher.lock
}

# Reads conf_file (key=value lines, # comments; data, never executed). Sets file_url, file_key, file_ca, conf_proxy,
# conf_time_zone, conf_machine, conf_scope, conf_transcripts and conf_telemetry.
read_config_file() {
    local name value
    file_url='' file_key='' file_ca='' conf_proxy='' conf_time_zone='' conf_machine='' conf_scope='' conf_transcripts=on conf_telemetry=on
    [[ -r $conf_file && -f $conf_file ]] || return 0
    while IFS='=' read -r name value || [[ -n $name ]]; do
        value=${value%$'\r'}
        case $name in
            url) file_url=$value ;;
            key) file_key=$value ;;
            machine_id) conf_machine=$value ;;
            ca_file) file_ca=$value ;;
            proxy) conf_proxy=$value ;;
            time_zone) conf_time_zone=$value ;;
            scope) conf_scope=$value ;;
            transcripts) conf_transcripts=$value ;;
            telemetry) conf_telemetry=$value ;;
        esac
    done <"$conf_file"
}

# REPLY = the address $1 without trailing slashes and without /api/events.
plain_url() {
    REPLY=$1
    while [[ $REPLY == */ ]]; do REPLY=${REPLY%/}; done
    REPLY=${REPLY%/api/events}
}

# Sets conf_url, conf_key, conf_ca, conf_machine and conf_scope. The address and the key come from one source, so an address from
# the environment (which a repository can set) never gets the key of the file. The environment precedes the plugin, the plugin
# precedes the file. The machine's own server is that of the file, or that of the plugin if the file names none. The certificate
# for the file's address always comes from the file.
monitor_config() {
    local env_key home_url home_key
    read_config_file
    env_key=${CLAUDE_MONITOR_KEY:-${CLAUDE_MONITOR_API_KEY:-}}
    conf_url=$file_url conf_key=$file_key conf_ca=$file_ca home_url=$file_url home_key=$file_key
    if [[ -n ${CLAUDE_PLUGIN_OPTION_URL:-} && -n ${CLAUDE_PLUGIN_OPTION_KEY:-} ]]; then
        conf_url=$CLAUDE_PLUGIN_OPTION_URL conf_key=$CLAUDE_PLUGIN_OPTION_KEY
        [[ -n $home_url ]] || home_url=$conf_url home_key=$conf_key
    fi
    if [[ -n ${CLAUDE_MONITOR_URL:-} && -n $env_key ]]; then
        conf_url=$CLAUDE_MONITOR_URL conf_key=$env_key conf_ca=${CLAUDE_MONITOR_CA_FILE:-$file_ca}
    fi
    conf_machine=${CLAUDE_MONITOR_MACHINE_ID:-${CLAUDE_PLUGIN_OPTION_NAME:-$conf_machine}}
    case $conf_url$conf_key$conf_ca$conf_proxy in *[[:cntrl:]]*) conf_url='' conf_key='' conf_ca='' ;; esac
    plain_url "$home_url" && home_url=$REPLY
    plain_url "$conf_url" && conf_url=$REPLY
    if [[ -n $home_url && -n $conf_url ]]; then
        [[ $conf_url == "$home_url" ]] && conf_ca=$file_ca
        [[ $conf_url == "$home_url" && (-z $home_key || $conf_key == "$home_key") ]] || . "${BASH_SOURCE[0]%/*}/elsewhere.sh"
    fi
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

# Seconds without a refresh after which a flusher's lock is stale, even if a process has its pid.
lock_patience=120

# True if the lock $2, by default the flusher's, belongs to a live process. $1 is the current time (Unix seconds). Sets lock_pid
# and lock_time.
lock_held() {
    local file=${2:-$lock}
    lock_pid='' lock_time=''
    [[ -s $file ]] && read -r lock_pid lock_time <"$file"
    case $lock_pid in '' | *[!0-9]* | 0* | ??????????*) return 1 ;; esac
    case $lock_time in '' | *[!0-9]* | 0* | ?????????????*) return 1 ;; esac
    process_lives "$lock_pid" || return 1
    (($1 - lock_time < lock_patience && lock_time - $1 < lock_patience))
}

# True if the process $1 runs. A zombie accepts signals but does not run.
process_lives() {
    local state_line
    kill -0 "$1" 2>/dev/null || return 1
    [[ -r /proc/$1/stat ]] || return 0
    read -r state_line <"/proc/$1/stat"
    [[ ${state_line##*) } != Z* ]]
}
