# shellcheck shell=bash
# Long polls: runs one curl at a time, and calls a function regularly while curl waits. Starts no process except curl and, once,
# mkfifo. Expects common.sh and send.sh.

# Sets clock_s: monotonic seconds from /proc/uptime. Without that file it is bash's SECONDS, which follows the wall clock.
clock_now() {
    local up=''
    if [[ -r /proc/uptime ]] && read -r up _ </proc/uptime; then clock_s=${up%%.*}; else clock_s=$SECONDS; fi
}

# Sets client_pid, the process of Claude Code, and registry, the file in which Claude Code describes that process.
client_find() {
    case ${CLAUDE_PID:-} in '' | *[!0-9]* | 0* | ??????????*) client_pid=$PPID ;; *) client_pid=$CLAUDE_PID ;; esac
    registry=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/sessions/$client_pid.json
}

# REPLY = the string $1 in Claude Code's registry file. False if there is none.
client_says() {
    local text='' form="\"$1\"[[:space:]]*:[[:space:]]*\"([^\"\\\\]*)\""
    [[ -r $registry ]] || return 1
    IFS= read -r -d '' text <"$registry"
    [[ $text =~ $form ]] && REPLY=${BASH_REMATCH[1]}
}

# Prepares polls. The names of their files begin with $1. The function $2 is called every half second, or every $3 seconds; if it
# returns false, the wait ends.
poll_open() {
    poll_base=$1 poll_look=$2 poll_step=${3:-0.5} poll_pid='' poll_part='' poll_answer=$1.answer
    # In bash 3.2, the timeout of `read` is a whole number of seconds.
    ((BASH_VERSINFO[0] >= 4)) || poll_step=${3:-1}
    # curl writes the HTTP status to a pipe that is open at both ends, so that `read` can wait for it with a timeout.
    mkfifo "$poll_base.pipe" && exec 5<>"$poll_base.pipe" && rm -f "$poll_base.pipe"
}

# Replaces this shell with curl; call it in the background. Standard input is curl's configuration, $1 the maximum KiB of an
# answer. The other arguments go to curl.
poll_start() {
    local most=$1
    shift
    rm -f "$poll_answer"
    curl_bounded "$most" -q --config - --silent --globoff --proto '=http,https' --max-time 60 --output "$poll_answer" \
        --write-out '%{http_code}' "$@" >&5 3>&-
}

poll_started() { poll_pid=$1; }

# Waits until curl has ended. Sets http_status. False if the function of poll_open ended the wait.
poll_answered() {
    while :; do
        if poll_status "$poll_step"; then return 0; fi
        "$poll_look" || return 1
        if ! kill -0 "$poll_pid"; then
            # If curl ended after the first look at the pipe, its status is there. The next poll must not read it.
            poll_status 1 || http_status=000 poll_part='' poll_pid=''
            return 0
        fi
    done
}

# Waits up to $1 seconds for the three digits that curl prints. False if they have not all come; poll_part keeps the first ones
# for the next call. Reads one digit at a time, because bash 3.2 drops what `read` has read before a timeout. A newer bash keeps
# it, but may report a timeout although it has read the digit.
poll_status() {
    local digit=''
    http_status=''
    while ((${#poll_part} < 3)); do
        IFS= read -r -t "$1" -n 1 -u 5 digit || [[ -n $digit ]] || return 1
        poll_part=$poll_part$digit
    done
    http_status=$poll_part poll_part='' poll_pid=''
    case $http_status in *[!0-9]*) http_status=000 ;; esac
}

# Waits for $1 seconds. False if the function of poll_open ended the wait.
poll_pause() {
    local until line
    clock_now
    until=$((clock_s + $1))
    while ((clock_s < until)); do
        IFS= read -r -t "$poll_step" -u 5 line
        "$poll_look" || return 1
        clock_now
    done
}

poll_close() {
    [[ -n $poll_pid ]] && kill "$poll_pid"
    poll_pid=''
    rm -f "$poll_answer" "$poll_base.pipe"
}
