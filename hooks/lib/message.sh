# shellcheck shell=bash
# Messages from devices to a session in a terminal. The poster is a hook of SessionStart that Claude Code does not wait for. It
# polls the server for messages as long as Claude Code runs, and writes them to Claude Code's inbox socket. A process has one
# poster.
#
# Files in `posters` for the process PID of Claude Code:
#   PID            the poster's pid
#   PID.session    the session's id
#   PID.last       the id of the last message written
#   PID.text       the text of that message, until a prompt with it comes
#   PID.unmarked   the id of that message, until a hook has told the model who wrote it
#   PID.prompts    exists if this Claude Code runs UserPromptSubmit also when the session is busy
#   PID.interrupt  the id of an interrupt that waits for the next tool
#   PID.applied    the id of an interrupt that a hook has printed
#   PID.over       the id of an interrupt that came after the turn
#
# Expects common.sh, and for the poster send.sh, poll.sh and hold.sh.

poster_run() {
    local input='' form='"session_id"[[:space:]]*:[[:space:]]*"([0-9A-Za-z-]+)"'
    exec 3>&-
    IFS= read -r -d '' -n 65536 input
    [[ $input =~ $form ]] || return
    session=${BASH_REMATCH[1]} started=$input
    client_find
    # A run without a terminal takes no messages, and only the machine's own server may send them.
    case ${CLAUDE_CODE_ENTRYPOINT:-} in sdk*) return ;; esac
    [[ -n ${CLAUDE_PID:-} && $state == "$state_root" && -n $conf_url && -n $conf_key ]] && type -P curl || return
    poster=$state/posters/$client_pid
    mkdir -p "$state/posters" || return
    printf '%s\n' "$session" >"$poster.session.new.$$" && mv -f "$poster.session.new.$$" "$poster.session"
    poster_is_first || return
    trap 'poster_close; exit 0' EXIT
    trap 'exit 0' TERM INT HUP
    poll_open "$poster.poll" poster_waits 2 && poster_loop
}

# Registers this poster. False if another poster works for this process of Claude Code.
poster_is_first() {
    local other=''
    (set -C && printf '%s\n' "$$" >"$poster") && return 0
    read -r other <"$poster"
    case $other in '' | *[!0-9]* | 0* | ??????????*) ;; *) process_lives "$other" && return 1 ;; esac
    printf '%s\n' "$$" >"$poster"
}

poster_close() {
    poll_close
    rm -f "$poster" "$poster".*
}

# Polls the server as long as Claude Code runs.
poster_loop() {
    local failures=0 asked pauses=(1 2 5 15 30)
    clock_now
    allowed=$poster_burst allowed_since=$clock_s
    while poster_waits; do
        monitor_config
        [[ $state == "$state_root" && -n $conf_url && -n $conf_key ]] || return
        clock_now
        asked=$clock_s session_now=$session
        poster_ask || continue
        case $http_status in
            200)
                failures=0
                poster_take
                poster_spend
                continue
                ;;
            204)
                failures=0
                clock_now
                ((clock_s > asked + 1)) || poll_pause 30
                continue
                ;;
            000 | 408 | 425 | 429 | 5??) ;;
            *) return ;;
        esac
        poll_pause "${pauses[failures > 4 ? 4 : failures]}"
        failures=$((failures + 1))
    done
}

# The poster takes a burst of answers, one each second, and then one every five seconds. So a server that always answers at once
# does not keep the machine busy.
poster_burst=20 poster_interval=5

# Counts an answer of the server, and sleeps for as long as the burst demands.
poster_spend() {
    clock_now
    allowed=$((allowed + (clock_s - allowed_since) / poster_interval))
    allowed_since=$((clock_s - (clock_s - allowed_since) % poster_interval))
    ((allowed > poster_burst)) && allowed=$poster_burst
    allowed=$((allowed - 1))
    if ((allowed > 0)); then poll_pause 1; else poll_pause $((poster_interval * (1 - allowed))); fi
}

poster_ask() {
    local query="pid=$client_pid&session_id=$session"
    poster_socket || query="$query&socket=no"
    curl_config "/api/messages?$query" | poll_start 256 --connect-timeout 3 &
    poll_started $!
    poll_answered
}

# Sets socket, Claude Code's inbox socket. False, with the reason in no_socket, if there is none or if the approvals file allows
# no messages to the session.
poster_socket() {
    no_socket="the approvals file of this machine allows no messages"
    poster_allowed || return 1
    no_socket="no inbox socket"
    socket=${CLAUDE_CODE_MESSAGING_SOCKET:-}
    [[ -n $socket ]] || { client_says messagingSocketPath && socket=$REPLY; }
    [[ -S $socket ]]
}

# True if messages are allowed: by the approvals file, or because there is none. A file that is not valid allows none.
poster_allowed() {
    hold_environment
    [[ -n $approvals ]] || return 0
    [[ $(printf '%s' "$started" | hold_awk policy MODE=messages 2>/dev/null) == on ]]
}

# False if the current poll must end because Claude Code shows another session. Exits if Claude Code has ended.
poster_waits() {
    process_lives "$client_pid" || exit 0
    [[ -e $poster ]] || exit 0
    read -r session <"$poster.session"
    [[ -s $poster.applied || -s $poster.over ]] && poster_interrupt_ended
    [[ ${session_now:-$session} == "$session" ]] || {
        [[ -n $poll_pid ]] && kill "$poll_pid"
        poll_pid='' session_now=$session
        return 1
    }
}

# Handles an answer of the server: writes a message to the socket, or stores an interrupt for the next hook. False if it is
# neither.
poster_take() {
    local what id words
    {
        read -r what id
        IFS= read -r words
    } < <(awk -f "$here/lib/json.awk" -f "$here/lib/values.awk" -f "$here/lib/message.awk" <"$poll_answer")
    case $what in
        message) poster_write "$id" "$words" ;;
        interrupt) printf '%s\n' "$id" >"$poster.interrupt" ;;
        *) return 1 ;;
    esac
}

# Writes the message with the id $1 and the text $2 to the socket, unless it was the last one written. Sends a receipt.
poster_write() {
    local last='' code
    [[ -s $poster.last ]] && read -r last <"$poster.last"
    if [[ $last != "$1" ]]; then
        if ! poster_socket; then
            poster_receipt "$1" failed "$no_socket"
            return
        fi
        printf '%s\n' "$2" >"$poster.text"
        printf '%s\n' "$1" >"$poster.unmarked"
        printf '{"type":"user","message":{"role":"user","content":%s}}\n' "$2" |
            curl_bounded 64 -q --silent --max-time 0.4 --noproxy '*' --unix-socket "$socket" telnet://localhost >/dev/null
        code=${PIPESTATUS[1]}
        # Claude Code does not answer on the socket, so curl ends with a timeout (28).
        if [[ $code != 0 && $code != 28 ]]; then
            rm -f "$poster.text" "$poster.unmarked"
            poster_receipt "$1" failed "the inbox socket cannot be written to"
            return
        fi
        printf '%s\n' "$1" >"$poster.last"
    fi
    poster_receipt "$1" delivered
}

# Sends the server a receipt for the message or interrupt $1: its state $2, and a reason $3 if it failed.
poster_receipt() {
    printf '{"state":"%s"%s}' "$2" "${3:+,\"detail\":\"$3\"}" >"$poster.receipt"
    curl_config "/api/messages/$1/receipt" | (
        curl_bounded 64 -q --config - --silent --globoff --proto '=http,https' --connect-timeout 3 --max-time 10 --retry 5 --retry-max-time 30 --retry-connrefused \
            --header 'Content-Type: application/json' --data-binary "@$poster.receipt" --output /dev/null
    )
    rm -f "$poster.receipt"
}

# Sends the receipt for an interrupt that a hook has printed, or that came after the turn.
poster_interrupt_ended() {
    local id=''
    if [[ -s $poster.applied ]]; then
        read -r id <"$poster.applied"
        rm -f "$poster.applied" "$poster.over"
        poster_receipt "$id" applied
    else
        read -r id <"$poster.over"
        rm -f "$poster.over"
        poster_receipt "$id" failed "the turn ended before"
    fi
}

# The functions below are for the other hooks of a session, which find in `posters` whether there is anything to do.

# Prints an interrupt: Claude Code then ends the turn.
message_interrupt() {
    local base=$state/posters/$CLAUDE_PID id='' reason='The user stopped this turn from another device.'
    # Only a tool of the main turn can end it, not one of a subagent.
    [[ ${body:0:4096} == *'"agent_id":"'* ]] && return
    read -r id <"$base.interrupt"
    rm -f "$base.interrupt"
    printf '%s\n' "$id" >"$base.applied"
    if [[ $event == PreToolUse ]]; then
        printf '{"continue":false,"stopReason":"%s","hookSpecificOutput":{"hookEventName":"PreToolUse",%s}}\n' "$reason" \
            "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"$reason\"" >&3
    else
        printf '{"continue":false,"stopReason":"%s"}\n' "$reason" >&3
    fi
}

# Marks an interrupt as too late, because the turn is over.
message_interrupt_over() {
    local base=$state/posters/$CLAUDE_PID id=''
    read -r id <"$base.interrupt"
    rm -f "$base.interrupt"
    printf '%s\n' "$id" >"$base.over"
}

# If the prompt is the text of a message, prints for the model who wrote it.
message_origin() {
    local base=$state/posters/$CLAUDE_PID words=''
    IFS= read -r words <"$base.text"
    [[ -n $words && $body == *"\"prompt\":$words"* ]] || words=''
    # The hook of PostToolBatch marked this message, and now it comes as a prompt. So this Claude Code runs the hook of
    # UserPromptSubmit also when the session is busy.
    [[ -n $words && ! -e $base.unmarked ]] && : >"$base.prompts"
    rm -f "$base.text" "$base.unmarked"
    [[ -n $words ]] || return
    message_context "The user typed this message on another device."
}

# A busy session reads a message after its running tools, without a prompt. Prints for the model who wrote it.
message_origin_busy() {
    # A subagent does not read the message.
    [[ ${body:0:4096} == *'"agent_id":"'* ]] && return
    rm -f "$state/posters/$CLAUDE_PID.unmarked"
    message_context "The message that comes with these results was typed by the user on another device."
}

message_context() {
    printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}\n' "$event" "$1" >&3
}
