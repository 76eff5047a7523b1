# shellcheck shell=bash
# Holds a prompt: waits until a device answers, the person answers at the terminal, or the time is over. session-monitor.sh
# sources this file for the events that a device can answer. A waiting hold is one bash process and one curl process.
#
# Expects common.sh, stamp.sh, send.sh, poll.sh, the event in $body and $whole, and Claude Code's pipe as descriptor 3.

# The maximum seconds of a hold. Claude Code's time limit (events.txt) is longer, so an earlier TERM means that the person
# answered.
hold_longest=3600

# Sets the variables that hold_awk passes to the awk programs: approvals, unreadable, now and headless.
hold_environment() {
    approvals=${conf_file%/*}/approvals unreadable=''
    if [[ ! -e $approvals && ! -L $approvals ]]; then
        approvals=''
    elif [[ ! -f $approvals || ! -r $approvals ]]; then
        unreadable=yes
    fi
    if ((BASH_VERSINFO[0] < 5)); then
        now=$([[ -z $conf_time_zone ]] || export TZ="$conf_time_zone"; date +%H:%M)
    elif [[ -n $conf_time_zone ]]; then
        TZ=$conf_time_zone printf -v now '%(%H:%M)T' -1
    else
        printf -v now '%(%H:%M)T' -1
    fi
    case ${CLAUDE_CODE_ENTRYPOINT:-} in sdk*) headless=yes ;; *) headless='' ;; esac
}

# Replaces this shell with the awk program $1 (policy or answer). Its environment has only the variables that it needs and the
# NAME=VALUE arguments that follow, because some awks take files and limits from the environment.
hold_awk() {
    local part programs=()
    for part in json values shell quotes arithmetic words risk commands options exact approvals permissions "$1"; do
        [[ $1 == policy && $part == permissions || $1 == answer && $part == approvals ]] || programs+=(-f "$here/lib/$part.awk")
    done
    shift
    exec -c env PATH="$PATH" LC_ALL=C HOME="$HOME" RISKS="$here/risk.tsv" APPROVALS="$approvals" UNREADABLE="$unreadable" \
        PROJECT="${CLAUDE_PROJECT_DIR:-}" NOW="$now" HEADLESS="$headless" "$@" awk "${programs[@]}"
}

# Reads the rest of the event and finds the rule that applies to it. Sets approvals_words, the rule in the form for the envelope;
# shows_dialog, whether Claude Code shows a dialog during the hold (yes or no); and exact_path, the file for which an exact rule
# may be added. If the rule cannot be determined, no device may answer.
hold_prepare() {
    local settled rest
    if [[ $whole == no ]]; then
        body=$body$(cat)
        whole=yes
    fi
    hold_environment
    settled=$(printf '%s' "$body" | hold_awk policy MODE=words 2>/dev/null)
    approvals_words=${settled%%$'\n'*}
    rest=${settled#*$'\n'}
    shows_dialog=${rest%%$'\n'*}
    exact_path=''
    [[ $rest == *$'\n'* ]] && exact_path=${rest#*$'\n'}
    case $approvals_words in who=*[!A-Za-z0-9_=.:,\ -]*) approvals_words='' ;; who=*) ;; *) approvals_words='' ;; esac
    approvals_words=${approvals_words:-who=notify}
    # A session's environment may name another server. That server gets events, but must not answer prompts.
    [[ $state == "$state_root" ]] || approvals_words='who=notify'
}

# Reads a prompt from standard input. Prints what the approvals file would do with it, and the reason.
hold_explain() {
    read_config_file
    hold_environment
    (hold_awk policy MODE=explain)
}

# REPLY = the value of the key $1 in the rule, or empty.
hold_word() {
    REPLY=" $approvals_words "
    case $REPLY in *" $1="*) ;; *) REPLY='' && return ;; esac
    REPLY=${REPLY#*" $1="}
    REPLY=${REPLY%% *}
}

# Waits for the answer and prints it, or prints nothing.
hold_run() {
    local hold_s who after
    hold_word who && who=$REPLY
    hold_word after && after=$REPLY
    hold_word hold && number "$REPLY" 0 && hold_s=$((REPLY > hold_longest ? hold_longest : REPLY))
    if [[ $who != answer ]] || ((hold_s == 0)); then
        [[ $after == deny ]] && hold_deny "The approvals file of this machine denies this."
        return
    fi
    [[ -n $conf_url && -n $conf_key ]] && type -P curl || return
    hold_open || return
    clock_now
    hold_until=$((clock_s + hold_s))
    trap hold_withdraw TERM INT HUP
    ((told_to_end)) && hold_withdraw
    hold_poll_on
    trap '' TERM INT HUP
    if [[ $hold_end == time && $after == deny ]]; then
        hold_deny "Nobody answered in time. The approvals file of this machine then denies."
        hold_end=denied
    fi
    [[ -n $hold_end ]] && hold_tell
    hold_close
}

# Creates the copy of the envelope that each poll sends, and the pipe to which curl writes the HTTP status.
hold_open() {
    local spooled_id=$event_id
    mkdir -p "$state/held-prompts" && event_id_new "$stamp_us" || return
    hold_id=$event_id event_id=$spooled_id
    hold_base=$state/held-prompts/$hold_id.$$
    hold_end='' hold_reason='' dialog_seen=0
    client_find
    trap 'hold_close; exit 0' EXIT
    write_event >"$hold_base.post" && poll_open "$hold_base" hold_looks_open
}

hold_close() {
    poll_close
    [[ -n $hold_base ]] && rm -f "$hold_base.post" "$hold_base.why"
    hold_base=''
}

# Polls the server until the hold ends. Sets hold_end, except if the answer was printed or if the server leaves the prompt to the
# terminal.
hold_poll_on() {
    local failures=0 early=0 met=no asked pauses=(1 2 4 5)
    while clock_now && ((clock_s < hold_until)); do
        asked=$clock_s
        monitor_config
        [[ -n $conf_url && -n $conf_key && $state == "$state_root" ]] || return
        hold_ask "$met" || return
        case $http_status in
            200)
                hold_print
                return
                ;;
            204)
                failures=0 met=yes
                # Poll less often if the server answers without waiting.
                clock_now
                if ((clock_s - asked < 5)); then
                    poll_pause "${pauses[early > 3 ? 3 : early]}" || return
                    early=$((early + 1))
                else
                    early=0
                fi
                continue
                ;;
            000 | 408 | 425 | 429 | 5??) ;;
            *) return ;;
        esac
        # If Claude Code shows no dialog during the hold, an unreachable server would make the person wait for nothing.
        [[ $met == no && $shows_dialog != yes ]] && return
        poll_pause "${pauses[failures > 3 ? 3 : failures]}" || return
        failures=$((failures + 1))
    done
    hold_end='time'
}

# Runs one poll. Sets http_status. False if the hold ended in the meantime. $1 says whether the server has answered a poll (yes,
# no).
hold_ask() {
    local left=$((hold_until - clock_s)) connect=3
    [[ $1 == no ]] && connect=1
    {
        curl_config /api/prompts
        printf 'header = "X-Hold-Id: %s"\nheader = "X-Hold-Seconds: %s"\nheader = "X-Hold-Policy: %s"\n' \
            "$hold_id" "$left" "$approvals_words"
    } | poll_start 2048 --connect-timeout "$connect" --header 'Content-Type: application/json' --header 'Expect:' \
        --data-binary "@$hold_base.post" &
    poll_started $!
    poll_answered
}

# False if the hold's time is over, if Claude Code has ended, or if the person has answered at the terminal: the status in Claude
# Code's registry file was `waiting` and has changed. Without a dialog, that status is about other prompts. Sets hold_end if
# false.
hold_looks_open() {
    if ! process_lives "$client_pid"; then
        hold_end=gone
        return 1
    fi
    clock_now
    if ((clock_s >= hold_until)); then
        hold_end='time'
        return 1
    fi
    [[ $shows_dialog == yes ]] && client_says status || return 0
    case $REPLY in
        waiting) dialog_seen=1 ;;
        idle) ((dialog_seen)) && hold_end=local-deny ;;
        busy) ((dialog_seen)) && hold_end=local ;;
    esac
    [[ -z $hold_end ]]
}

# Prints the server's answer if the approvals file allows every part of it.
hold_print() {
    local output code directory=''
    [[ -n $exact_path && -d $exact_path ]] && directory=yes
    output=$(hold_awk answer POST="$hold_base.post" ANSWER="$poll_answer" SETTLED="$approvals_words" DIRECTORY="$directory" \
        2>"$hold_base.why")
    code=$?
    case $code in
        0) [[ -n $output ]] && printf '%s\n' "$output" >&3 ;;
        3)
            # The server may know that the person answered at the terminal before Claude Code has changed its status.
            hold_looks_open && ((dialog_seen)) && poll_pause 5
            [[ $hold_end == 'time' ]] && hold_end=''
            ;;
        *)
            hold_end=refused
            IFS= read -r hold_reason <"$hold_base.why"
            ;;
    esac
}

# Prints a denial with the message $1.
hold_deny() {
    if [[ $event == Elicitation ]]; then
        printf '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}\n' >&3
    else
        printf '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"%s"}}}\n' \
            "$1" >&3
    fi
}

# Handles TERM: Claude Code ends the hook because the person has answered at the terminal.
hold_withdraw() {
    trap '' TERM INT HUP
    hold_end=local-deny
    hold_tell
    hold_close
    exit 0
}

# Tells the server how the hold ended, in the background, so that Claude Code does not wait for it.
hold_tell() {
    local reason='?reason=released'
    case $hold_end in local-deny) reason='' ;; denied) reason='?reason=expired' ;; esac
    (
        exec 3>&- 5>&-
        {
            curl_config "/api/prompts/$hold_id$reason"
            printf 'request = DELETE\nheader = "X-Hold-End: %s"\nheader = "X-Hold-Event: %s"\n' "$hold_end" "$event_id"
            [[ -n $hold_reason ]] && printf 'header = "X-Hold-Reason: %s"\n' "${hold_reason//[!A-Za-z0-9 .,=-]/?}"
        } | curl_bounded 64 -q --config - --silent --globoff --proto '=http,https' --connect-timeout 3 --max-time 5 \
            --output /dev/null
    ) &
}
