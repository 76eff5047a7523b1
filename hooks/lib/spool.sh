# shellcheck shell=bash
# What the flusher does with the spool: batches, the bound, the count of what was dropped, what the server refuses.
# Entries sort by name in the order in which the events occurred. Only the holder of the lock calls these functions.

number "${CLAUDE_MONITOR_SPOOL_MAX_EVENTS:-}" 10000 && max_events=$REPLY
number "${CLAUDE_MONITOR_SPOOL_MAX_KIB:-}" 65536 && max_kib=$REPLY
max_rejected=50
batch_max_events=100
batch_max_bytes=1048576

# Fills batch_file with at most $1 entries, one JSON line each, and batch_entries with their paths without extension.
# Entries that are still being written hold back those behind them: batch_waits is then 1. So that a hook that has its
# time but not yet its entry can catch up, only what is not newer than the newest entry of 30 ms ago is taken.
# The file stays open from the first line to the last: if another flusher deletes it meanwhile, curl finds no file. A file
# that was opened anew for each line would then lack its first lines, and their entries would be removed unsent.
batch_build() {
    local file entry line text newest='' size=0
    batch_entries=() batch_waits=0
    for newest in "$spool"/*.ev; do :; done
    [[ -n $newest ]] || return 0
    sleep 0.03
    for file in "$spool"/*.ev; do
        [[ $file > $newest ]] && break
        entry=${file%.ev}
        if [[ ! -e $entry.ok ]]; then
            entry_is_growing "$entry" || continue
            batch_waits=1
            break
        fi
        text=''
        while IFS= read -r line || [[ -n $line ]]; do text="$text$line "; done <"$file"
        size=$((size + ${#text}))
        ((${#batch_entries[@]} > 0 && size > batch_max_bytes)) && break
        transcript_note "$text"
        stream_number "$entry" "$text"
        case $text in '{"'*) text="{$REPLY${text#?}" ;; esac
        printf '%s\n' "$text" || return 1
        batch_entries[${#batch_entries[@]}]=$entry
        ((${#batch_entries[@]} >= $1)) && break
    done
    return 0
} >"$batch_file"

# True if the hook that made the entry may still finish it. What a dead hook left behind is removed.
entry_is_growing() {
    local name=${1##*/} made pid
    made=${name%%.*}
    pid=${name#*.}
    pid=${pid%%.*}
    # The name is of a file, and bash computes with it: anything but digits is no hook's.
    case $made in *[!0-9]* | 0*) return 1 ;; ????????????????) ;; *) return 1 ;; esac
    case $pid in '' | *[!0-9]* | 0* | ??????????*) return 1 ;; esac
    stamp_now
    if [[ -e $1.ok ]]; then return 0; fi
    if kill -0 "$pid" 2>/dev/null && ((stamp_us - made < 60000000)); then
        ((stamp_us - made < 10000000))
        return
    fi
    [[ -e $1.ok ]] && return 0
    rm -f "$1.ev"
    return 1
}

# Removes entries: first the marks, so that a half-done removal cannot bring an event back.
entries_remove() {
    (($# > 0)) || return 0
    rm -f "${@/%/.ok}"
    rm -f "${@/%/.ev}"
}

# Removes the files of processes that have ended without doing so; the number after the first dot is the process's.
temporary_clean() {
    local file pid
    for file in "$state"/{batch,answer,transcript,heartbeat}.* "$state"/held-prompts/*; do
        pid=${file##*/}
        pid=${pid#*.}
        pid=${pid%%.*}
        case $pid in '' | *[!0-9]* | 0* | ??????????*) ;; *) process_lives "$pid" && continue ;; esac
        rm -f "$file"
    done
    for file in "$state"/posters/*; do
        pid=${file##*/}
        pid=${pid%%.*}
        case $pid in '' | *[!0-9]* | 0* | ??????????*) ;; *) process_lives "$pid" && continue ;; esac
        rm -f "$file"
    done
}

spool_is_empty() {
    local mark
    for mark in "$spool"/*.ok; do
        [[ -e ${mark%.ok}.ev ]] && return 1
        rm -f "$mark"
    done
    return 0
}

# Sets aside an entry that the server refuses; the newest max_rejected are kept, 64 KiB of each.
entry_reject() {
    local kept
    mkdir -p "$state/rejected"
    head -c 65536 <"$1.ev" >"$state/rejected/${1##*/}.json"
    entries_remove "$1"
    kept=("$state/rejected"/*.json)
    ((${#kept[@]} > max_rejected)) && rm -f "${kept[@]:0:${#kept[@]}-max_rejected}"
    return 0
}

# The account of dropped events is one line in one file, replaced whole, so that each step of it happens or does not:
# drop_count   dropped and not yet in a report
# drop_report  id of the report under way or -, drop_told its number, drop_time its time or -
# drop_until   the entry up to which a removal, already counted, was to reach, or -
drop_load() {
    drop_count=0 drop_report=- drop_told=0 drop_time=- drop_until=-
    [[ -s $state/dropped ]] && read -r drop_count drop_report drop_told drop_time drop_until <"$state/dropped"
    number "$drop_count" 0 && drop_count=$REPLY
    number "$drop_told" 0 && drop_told=$REPLY
    case $drop_report in *[!0-9a-f-]*) drop_report=- ;; esac
    case $drop_time in *[!0-9TZ:.-]*) drop_time=- ;; esac
    case $drop_until in *[!0-9A-Za-z.-]*) drop_until=- ;; esac
    drop_report=${drop_report:--} drop_time=${drop_time:--} drop_until=${drop_until:--}
}

drop_save() {
    printf '%s %s %s %s %s\n' "$drop_count" "$drop_report" "$drop_told" "$drop_time" "$drop_until" \
        >"$state/dropped.new" && mv -f "$state/dropped.new" "$state/dropped"
}

# Drops the oldest entries until the spool is within its bounds. Counts first, then removes; a removal that was cut
# short is finished without counting again.
spool_trim() {
    local marks excess used
    drop_finish
    while :; do
        marks=("$spool"/*.ok)
        excess=$((${#marks[@]} - max_events))
        if ((excess <= 0)); then
            excess=0
            used=$(du -sk "$spool") && used=${used%%[!0-9]*} && ((${used:-0} > max_kib)) && excess=$((${#marks[@]} / 16 + 1))
        fi
        ((excess > ${#marks[@]})) && excess=${#marks[@]}
        ((excess > 0)) || return 0
        drop_until=${marks[excess - 1]##*/}
        drop_until=${drop_until%.ok}
        drop_count=$((drop_count + excess))
        drop_save || return 1
        drop_finish
    done
}

drop_finish() {
    local mark line victims=()
    drop_load
    [[ $drop_until == - ]] && return 0
    for mark in "$spool"/*.ok; do
        mark=${mark%.ok}
        [[ ${mark##*/} > $drop_until ]] && break
        # What is dropped has used its numbers up, so that the server misses it.
        line=''
        IFS= read -r line <"$mark.ev"
        stream_number "$mark" "$line"
        victims[${#victims[@]}]=$mark
        if ((${#victims[@]} == 500)); then
            entries_remove "${victims[@]}"
            victims=()
        fi
    done
    ((${#victims[@]} > 0)) && entries_remove "${victims[@]}"
    drop_until=-
    drop_save
}

# Writes the report of dropped events to batch_file, under an id that stays the same until the server has it.
# False if there is nothing to report.
drop_write_report() {
    drop_load
    if [[ $drop_report == - ]]; then
        ((drop_count > 0)) || return 1
        stamp_now && event_id_new "$stamp_us" || return 1
        drop_report=$event_id drop_told=$drop_count drop_time=$stamp_iso drop_count=0
        drop_save || return 1
    fi
    json_escape "$conf_machine"
    printf '{"event_id":"%s","event_type":"spool_dropped","machine_id":"%s","timestamp":"%s","data":%s}\n' \
        "$drop_report" "$REPLY" "$drop_time" \
        "{\"hook_event_name\":\"MonitorSpoolDropped\",\"dropped\":$drop_told}" >"$batch_file"
}

drop_reported() {
    drop_load
    drop_report=- drop_told=0 drop_time=-
    drop_save
}
