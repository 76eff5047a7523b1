#!/usr/bin/env bash
# usage: session-monitor.sh [EVENT [plugin]]   reports an event; `plugin` says that the plugin calls
#        session-monitor.sh explain            prints what would happen to a permission request, and why
#        session-monitor.sh poster             receives messages from devices for the session (lib/message.sh)
#
# Each form reads the JSON of a Claude Code hook from standard input.
#
# Writes the event to the spool, starts a flusher if none runs, and always exits 0. Claude Code waits for this script and reads
# its standard output, which contains nothing but the answer to a prompt. See README.md.

if [[ ${1:-} != explain ]]; then
    # Descriptor 3 is the standard output that Claude Code reads.
    exec 3>&1 >/dev/null 2>&1
    trap 'exit 0' EXIT
    # Claude Code may end its hooks just after their start, but the event must still be written. The signals are caught, not
    # ignored, because the flusher would inherit ignored signals.
    told_to_end=0
    trap 'told_to_end=1' TERM INT HUP
fi
umask 077

# bash itself reads the first bytes of the input; `cat` reads the rest.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 401)); then
    read_head=(read -r -N 65536)
else
    read_head=(read -r -d '' -n 8192)
fi

# Prints the beginning of the event's JSON line, up to its data.
write_envelope_head() {
    printf '{"event_id":"%s",' "$event_id"
    [[ -n $event ]] && printf '"event_type":"%s",' "$event"
    json_escape "$conf_machine"
    printf '"machine_id":"%s","timestamp":"%s",' "$REPLY" "$stamp_iso"
    if [[ -n ${CLAUDE_PROJECT_DIR:-} ]]; then
        json_escape "$CLAUDE_PROJECT_DIR"
        printf '"project_dir":"%s",' "$REPLY"
    fi
    [[ -n $approvals_words ]] && printf '"approvals":"%s",' "$approvals_words"
    printf '"data":'
}

# Prints the event. The input is not changed: a line break in it is white space, and the flusher joins the lines.
write_event() {
    local start end
    start=${body:0:256}
    start=${start#"${start%%[![:space:]]*}"}
    end=${body:$((${#body} > 256 ? ${#body} - 256 : 0))}
    end=${end%"${end##*[![:space:]]}"}
    write_envelope_head
    if [[ -z $start ]]; then
        printf '{},"raw_error":"the hook input was empty"}\n'
    elif [[ $start != \{* || ($whole == yes && $end != *\}) ]]; then
        printf '{},"raw_error":"the hook input was not a JSON object"}\n'
    elif [[ $whole == yes ]]; then
        printf '%s}\n' "$body"
    else
        printf '%s' "$body"
        cat
        printf '}\n'
    fi
}

# Ends a hook that reports nothing. It reads its input first: Claude Code could be writing it still, into a closed pipe.
leave() {
    [[ -t 0 ]] || cat >/dev/null
    exit 0
}

# The flusher serves all sessions. By this variable the agent would count it among what its session has left running.
start_flusher() {
    trap '' HUP
    unset CLAUDE_MONITOR_RUNNER
    if type -P setsid; then
        setsid bash -p "$here/lib/flush.sh" </dev/null 3>&- &
    else
        set -m
        bash -p "$here/lib/flush.sh" </dev/null 3>&- &
    fi
}

self=${BASH_SOURCE[0]}
if [[ -L $self ]]; then
    link=$(readlink "$self")
    case $link in /*) self=$link ;; *) self=${self%/*}/$link ;; esac
fi
here=${self%/*}
[[ $here == "$self" ]] && here=.
. "$here/lib/common.sh" || exit 0
# Claude Code does not wait for the poster, so it has the time to unset variables.
[[ ${1:-} == poster ]] && . "$here/lib/environment.sh" && environment_forget here self
. "$here/lib/stamp.sh" || exit 0

event=${1:-}
case $event in *[!A-Za-z0-9_-]*) event='' ;; esac

monitor_places
if [[ $event == explain ]]; then
    . "$here/lib/hold.sh" && hold_explain
    exit
fi
monitor_config
# If both the user's settings and the plugin register the hooks, only those of the settings report.
[[ ${2:-} == plugin && $conf_scope == user ]] && leave
# The agent itself reports what its sessions ask, and gives them their messages.
if [[ -n ${CLAUDE_MONITOR_RUNNER:-} ]]; then
    . "$here/lib/runner.sh"
    case $event in
        poster | PermissionRequest | Elicitation) agent_runs && leave ;;
        SessionEnd) agent_parks && leave ;;
    esac
fi
if [[ $event == poster ]]; then
    . "$here/lib/send.sh" && . "$here/lib/poll.sh" && . "$here/lib/hold.sh" && . "$here/lib/message.sh" && poster_run
    exit
fi
[[ -d $spool ]] || mkdir -p "$spool" || leave
stamp_now || leave
event_id_new "$stamp_us"

# The file is created before the input is read, because its name determines the order of events. The .ok file marks it as
# complete.
entry=$spool/$stamp_us.$$.${event_id:24}
: >"$entry.ev" || leave
body=''
whole=yes
if [[ ! -t 0 ]]; then
    IFS= "${read_head[@]}" body && whole=no
fi
approvals_words=''
case $event in
    PermissionRequest | Elicitation) . "$here/lib/send.sh" && . "$here/lib/poll.sh" && . "$here/lib/hold.sh" && hold_prepare ;;
esac
case ${CLAUDE_MONITOR_TRANSCRIPTS:-} in
    on | off)
        # The flusher serves all sessions; a file records the setting of this session.
        [[ ${body:0:512} =~ \"session_id\":[[:space:]]*\"([0-9A-Za-z-]+)\" ]] && mark=$state/sent-transcripts/${BASH_REMATCH[1]} &&
            [[ ! -e $mark.$CLAUDE_MONITOR_TRANSCRIPTS ]] && mkdir -p "$state/sent-transcripts" &&
            rm -f "$mark".o* && : >"$mark.$CLAUDE_MONITOR_TRANSCRIPTS"
        ;;
esac
write_event >"$entry.ev" && : >"$entry.ok" || exit 0

# Without an address or curl, nothing can be sent. A flusher still runs sometimes, to keep the spool within its bounds.
if [[ -n $conf_url && -n $conf_key ]] && type -P curl || ((RANDOM % 100 == 0)); then
    lock_held "$stamp_s" || start_flusher
fi
if [[ -n $approvals_words ]]; then
    hold_run
elif [[ ${CLAUDE_PID:-} =~ ^[1-9][0-9]*$ && $state == "$state_root" ]]; then
    case $event in
        PreToolUse | PostToolUse | PostToolUseFailure | PostToolBatch)
            if [[ -e $state/posters/$CLAUDE_PID.interrupt ]]; then
                . "$here/lib/message.sh" && message_interrupt
            elif [[ $event == PostToolBatch && -e $state/posters/$CLAUDE_PID.unmarked && ! -e $state/posters/$CLAUDE_PID.prompts ]]; then
                . "$here/lib/message.sh" && message_origin_busy
            fi
            ;;
        UserPromptSubmit)
            [[ -e $state/posters/$CLAUDE_PID.interrupt ]] && . "$here/lib/message.sh" && message_interrupt_over
            [[ -e $state/posters/$CLAUDE_PID.text ]] && . "$here/lib/message.sh" && message_origin
            ;;
        Stop | StopFailure | SessionEnd)
            [[ -e $state/posters/$CLAUDE_PID.interrupt ]] && . "$here/lib/message.sh" && message_interrupt_over
            ;;
    esac
fi
