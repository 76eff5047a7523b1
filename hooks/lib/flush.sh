#!/usr/bin/env bash
# The flusher. Sends the spool to the server, in order. Ends when the spool is empty, or when the server has been unreachable for
# too long. session-monitor.sh starts it, detached. The lock admits one flusher at a time. See README.md.

trap '' HUP
for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done
exec </dev/null >/dev/null 2>&1
umask 077
shopt -s nullglob

lib=${BASH_SOURCE[0]%/*}
case $lib in "${BASH_SOURCE[0]}") lib=. ;; esac
. "$lib/environment.sh" || exit 1
# proxy_hint prints these variables if the server does not answer.
ignored_proxies=''
for variable in "${proxy_variables[@]}"; do [[ -n ${!variable:-} ]] && ignored_proxies="$ignored_proxies $variable"; done
environment_forget lib ignored_proxies
for part in common stamp lock stream spool send sessions transcripts; do
    # shellcheck source=/dev/null
    . "$lib/$part.sh" || exit 1
done

number "${CLAUDE_MONITOR_GIVE_UP_S:-}" 600 && give_up_after=$REPLY
number "${CLAUDE_MONITOR_AUTH_RETRY_S:-}" 60 && auth_retry=$REPLY
backoff_max=60
retry_after_max=600

# Stores the reason for which events are waiting, as one line. The next success removes it.
note_error() {
    stamp_now
    printf '%s %s\n' "$stamp_iso" "$1" >"$state/last_error.new" && mv -f "$state/last_error.new" "$state/last_error"
}

# Prints a hint if the environment names a proxy and the configuration file does not.
proxy_hint() {
    [[ -n $ignored_proxies && -z $conf_proxy ]] &&
        printf '; the configuration file has no proxy=, and these variables of the environment are ignored:%s' "$ignored_proxies"
}

# Waits for $1 seconds, and refreshes the lock every 5. Ends early if the configuration file is newer than last_error; an old bash
# compares whole seconds. False if the lock is lost.
wait_seconds() {
    local left=$1 step=1
    while ((left > 0)); do
        sleep "$step"
        lock_refresh || return 1
        [[ -e $state/last_error && -e $conf_file && ! $state/last_error -nt $conf_file ]] && return 0
        left=$((left - step))
        step=$((left > 5 ? 5 : left))
    done
}

# backoff = seconds to wait before the next try. The time doubles from 1 to backoff_max, and half of it is random.
next_backoff() {
    local full=$((1 << (failures > 6 ? 6 : failures)))
    ((full > backoff_max)) && full=$backoff_max
    failures=$((failures + 1))
    backoff=$((full - full / 2 + RANDOM % (full / 2 + 1)))
}

# Waits after a failure. $1 is the number of seconds that the server asks for, or empty. False if the flusher must give up.
wait_after_failure() {
    local pause=$1
    stamp_now
    ((failing_since == 0)) && failing_since=$stamp_s
    next_backoff
    [[ -n $pause ]] || pause=$backoff
    ((pause > retry_after_max)) && pause=$retry_after_max
    ((pause < 1)) && pause=1
    ((stamp_s + pause - failing_since > give_up_after)) && {
        [[ -n $1 ]] && printf '%s\n' "$((stamp_s + pause))" >"$state/retry_at"
        return 1
    }
    wait_seconds "$pause" || return 1
    spool_trim
}

# Waits until the end of a pause that the server asked a previous flusher for, if that flusher gave up in the pause.
honour_retry_at() {
    local until=''
    [[ -s $state/retry_at ]] && read -r until <"$state/retry_at"
    rm -f "$state/retry_at"
    stamp_now
    case $until in '' | *[!0-9]* | 0* | ?????????????*) return 0 ;; esac
    ((until > stamp_s && until - stamp_s <= retry_after_max)) || return 0
    wait_seconds $((until - stamp_s))
}

# Removes the entries of a batch that the server has accepted, and sets aside those that it lists as rejected.
batch_done() {
    local position
    failures=0 failing_since=0
    rm -f "$state/last_error"
    limit=$((limit * 2 > batch_max_events ? batch_max_events : limit * 2))
    if [[ $sending == report ]]; then
        drop_reported
        return
    fi
    answer_rejected
    for position in ${rejected[@]+"${rejected[@]}"}; do
        ((position < ${#batch_entries[@]})) && entry_reject "${batch_entries[position]}"
    done
    entries_remove "${batch_entries[@]}"
}

# Handles a refused batch: halves it until the refused entry is alone, and sets that entry aside.
batch_refused() {
    note_error "HTTP $http_status: the server refuses an event"
    if [[ $sending == report ]]; then
        drop_reported
    elif ((${#batch_entries[@]} > 1)); then
        limit=$(((${#batch_entries[@]} + 1) / 2))
    else
        entry_reject "${batch_entries[0]}"
        limit=$batch_max_events
    fi
}

# Sends one batch. False if the flusher must stop; the rest stays in the spool.
send_batch() {
    lock_refresh || return 1
    batch_post
    lock_refresh || return 1
    case $http_status in
        200 | 202) batch_done ;;
        400 | 413 | 422) batch_refused ;;
        401 | 403)
            note_error "HTTP $http_status: the server refuses the key"
            wait_after_failure "$auth_retry"
            ;;
        429 | 503)
            note_error "HTTP $http_status: the server asks the machine to wait"
            wait_after_failure "$retry_after"
            ;;
        000)
            note_error "no answer from the server$(proxy_hint)"
            wait_after_failure ''
            ;;
        408 | 425 | 5??)
            note_error "HTTP $http_status"
            wait_after_failure ''
            ;;
        *)
            note_error "HTTP $http_status: is the address right?"
            wait_after_failure "$auth_retry"
            ;;
    esac
}

# Sends events and then transcripts until nothing is left. False if the flusher must stop.
drain() {
    while :; do
        monitor_config
        if [[ -z $conf_url || -z $conf_key ]]; then
            note_error "no server address or no key is configured"
            return 1
        fi
        type -P curl || {
            note_error "curl is not installed"
            return 1
        }
        sending=events
        if drop_write_report; then
            sending=report
        else
            batch_build "$limit" || return 1
            if ((${#batch_entries[@]} == 0)); then
                if ((!batch_waits)); then
                    transcripts_step || return 0
                    lock_refresh || return 1
                    continue
                fi
                sleep 0.1
                lock_refresh || return 1
                continue
            fi
        fi
        send_batch || return 1
    done
}

# Starts watch.sh, which reports the machine's sessions, if a session is alive and watch.sh does not run.
watch_start() {
    [[ $state == "$state_root" && -n $conf_url && -n $conf_key ]] || return 0
    sessions_read
    ((sessions_count > 0)) || return 0
    stamp_now
    lock_held "$stamp_s" "$state/watch.lock" && return 0
    if type -P setsid; then setsid bash -p "$lib/watch.sh" </dev/null & else bash -p "$lib/watch.sh" </dev/null & fi
    return 0
}

main() {
    monitor_places
    monitor_config
    batch_file=$state/batch.$$
    limit=$batch_max_events failures=0 failing_since=0
    cd "$state" || return
    while lock_acquire; do
        trap 'rm -f "$batch_file"; lock_release' EXIT
        temporary_clean
        monitor_config
        # Sending may take long, so watch.sh starts first: it must report a session also if its client is killed within seconds.
        watch_start
        stream_load
        spool_trim
        honour_retry_at && drain || return
        rm -f "$batch_file"
        transcripts_close
        lock_release
        # A hook that saw the lock started no flusher, so its event may still be in the spool.
        spool_is_empty && watch_start && return
    done
}

main; exit 0
