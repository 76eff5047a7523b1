#!/usr/bin/env bash
# Reports the live sessions of this machine to the server once a minute, and the approvals file whenever it has changed. Ends after
# the last session. The flusher starts it, detached. A lock admits one at a time. It also starts the flusher if transcripts or
# events are left to send.

trap '' HUP
for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done
exec </dev/null >/dev/null 2>&1
umask 077
shopt -s nullglob

lib=${BASH_SOURCE[0]%/*}
. "$lib/environment.sh" && environment_forget lib || exit 1
here=$lib/..
for part in common stamp lock send sessions hold; do
    # shellcheck source=/dev/null
    . "$lib/$part.sh" || exit 1
done

number "${CLAUDE_MONITOR_HEARTBEAT_S:-}" 60 && beat=$((REPLY < 1 ? 1 : REPLY > 60 ? 60 : REPLY))

heartbeat() {
    approvals_read
    heartbeat_send
    if [[ $http_status == 400 && -n $approvals_json ]]; then
        # The file may contain bytes that are not UTF-8.
        approvals_json=$(hold_awk policy MODE=rules ASCII=yes 2>/dev/null)
        heartbeat_send
    fi
    case $http_status in 2?? | 400) ;; *) approvals_sent=unsent ;; esac
}

heartbeat_send() {
    local body=$state/heartbeat.$$
    stamp_now
    json_escape "$conf_machine"
    printf '{"machine_id":"%s","timestamp":"%s","sessions":%s%s}\n' "$REPLY" "$stamp_iso" "$sessions_json" \
        "${approvals_json:+,\"approvals\":$approvals_json}" >"$body"
    curl_post /api/heartbeat "$body" 20 --header 'Content-Type: application/json'
    rm -f "$body"
}

# Sets approvals_json to the approvals file as JSON if the server may not have it, otherwise to the empty string. It is sent again
# each hour, because a server may have been restored or upgraded. A change after the first 64 KiB is noticed only then.
approvals_sent=unsent
approvals_read() {
    local text=''
    approvals_json=''
    hold_environment
    [[ -z $approvals || -n $unreadable ]] || IFS= read -r -d '' -n 65536 text <"$approvals"
    text=$((SECONDS / 3600)):$conf_url:$conf_key:$approvals:$unreadable:$text
    [[ $text != "$approvals_sent" ]] || return 0
    approvals_json=$(hold_awk policy MODE=rules 2>/dev/null)
    [[ -z $approvals_json ]] || approvals_sent=$text
}

# Marks the transcripts of the ended sessions for sending at once. $1 is the list of sessions that lived at the last check.
transcripts_end() {
    local id path
    for id in $1; do
        case " $session_ids " in *" $id "*) continue ;; esac
        case $id in *[!0-9A-Za-z-]*) continue ;; esac
        [[ -s $state/sent-transcripts/$id.due ]] || continue
        read -r path <"$state/sent-transcripts/$id.due"
        printf '%s\n0\n' "$path" >"$state/sent-transcripts/$id.due"
    done
}

# Starts a flusher if events or transcripts are left. The sessions of a killed client send no event that would start one.
start_flusher() {
    local left=("$state"/sent-transcripts/*.due "$state"/spool/*.ok)
    ((${#left[@]} > 0)) || return 0
    stamp_now
    lock_held "$stamp_s" "$state/flusher.lock" && return 0
    if type -P setsid; then setsid bash -p "$lib/flush.sh" </dev/null & else bash -p "$lib/flush.sh" </dev/null & fi
}

main() {
    local sleeper='' every=1 beats=0 before=''
    monitor_places
    monitor_config
    lock=$state/watch.lock
    cd "$state" && lock_acquire || return
    trap '[[ -z $sleeper ]] || kill "$sleeper"; lock_release; rm -f "$state"/heartbeat.$$' EXIT
    trap 'exit 0' TERM INT
    while :; do
        monitor_config
        lock=$state/watch.lock
        [[ $state == "$state_root" && -n $conf_url && -n $conf_key ]] && lock_refresh || return
        sessions_read
        transcripts_end "$before"
        before=$session_ids
        # After the end of the last session, one heartbeat has an empty list.
        if ((beats % every == 0 || sessions_count == 0)); then
            heartbeat
            # An older server does not know heartbeats; it gets one each hour.
            case $http_status in 404 | 405) every=60 ;; *) every=1 ;; esac
        fi
        beats=$((beats + 1))
        start_flusher
        ((sessions_count > 0)) || return
        sleep "$beat" &
        sleeper=$!
        wait "$sleeper"
        sleeper=''
    done
}

main; exit 0
