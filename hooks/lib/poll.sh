# shellcheck shell=bash
# Long polls: one curl at a time, and a look at this machine's side while it waits. Starts no process but curl and, once,
# mkfifo. Expects common.sh and send.sh.

# Sets clock_s, seconds of a clock that nobody sets, by the file of Linux. Elsewhere bash's own, which a step of the wall clock
# moves.
clock_now() {
    local up=''
    if [[ -r /proc/uptime ]] && read -r up _ </proc/uptime; then clock_s=${up%%.*}; else clock_s=$SECONDS; fi
}

# Sets client_pid, the process of Claude Code, and registry, its file about itself.
client_find() {
    case ${CLAUDE_PID:-} in '' | *[!0-9]* | 0* | ??????????*) client_pid=$PPID ;; *) client_pid=$CLAUDE_PID ;; esac
    registry=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/sessions/$client_pid.json
}

# REPLY = the text of the member $1 in Claude Code's file about itself. False if there is none.
client_says() {
    local text='' form="\"$1\"[[:space:]]*:[[:space:]]*\"([^\"\\\\]*)\""
    [[ -r $registry ]] || return 1
    IFS= read -r -d '' text <"$registry"
    [[ $text =~ $form ]] && REPLY=${BASH_REMATCH[1]}
}

# Prepares polls whose files begin with $1. The function $2 is asked twice a second, or each $3 seconds, whether to wait on.
poll_open() {
    poll_base=$1 poll_look=$2 poll_step=${3:-0.5} poll_pid='' poll_part='' poll_answer=$1.answer
    # bash 3.2 waits for whole seconds.
    ((BASH_VERSINFO[0] >= 4)) || poll_step=${3:-1}
    # curl tells its end through a pipe that is open at both ends, so that `read` can wait for it and for the time.
    mkfifo "$poll_base.pipe" && exec 5<>"$poll_base.pipe" && rm -f "$poll_base.pipe"
}

# Becomes curl, with its configuration on standard input and the arguments after $1, the maximum KiB of an answer. Run it in the
# background.
poll_start() {
    local most=$1
    shift
    rm -f "$poll_answer"
    curl_bounded "$most" -q --config - --silent --globoff --proto '=http,https' --max-time 60 --output "$poll_answer" \
        --write-out '%{http_code}' "$@" >&5 3>&-
}

poll_started() { poll_pid=$1; }

# Waits until curl has ended. Sets http_status. False if poll_look says that there is nothing to wait for.
poll_answered() {
    while :; do
        if poll_status "$poll_step"; then return 0; fi
        "$poll_look" || return 1
        if ! kill -0 "$poll_pid"; then
            # curl may have ended since: its status is in the pipe then, and the next poll must not take it for its own.
            poll_status 1 || http_status=000 poll_part='' poll_pid=''
            return 0
        fi
    done
}

# Waits up to $1 seconds for the three digits that curl prints. False if they have not come; poll_part keeps the first ones for
# the next call. One digit at a time: bash 3.2 drops what `read` has read when its time is over. Newer ones keep it, and report the
# end of the time although the digit is there.
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

# Waits for $1 seconds. False as above.
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
