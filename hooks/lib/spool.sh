# shellcheck shell=bash
# The flusher's side of the spool: batches, the bounds, the count of dropped events, and refused events. The names of the entries
# sort in the order of the events. Only the owner of the lock calls these functions.

number "${CLAUDE_MONITOR_SPOOL_MAX_EVENTS:-}" 10000 && max_events=$REPLY
number "${CLAUDE_MONITOR_SPOOL_MAX_KIB:-}" 65536 && max_kib=$REPLY
max_rejected=50
batch_max_events=100
batch_max_bytes=1048576

# Writes at most $1 entries to batch_file, one JSON line each, and their paths without extension to batch_entries.
# An entry that a hook is still writing delays the later ones; batch_waits is then 1. Takes only entries that existed 30 ms ago,
# because a hook may have its timestamp but not yet its file.
# The file stays open until the last line. If another flusher deletes it, curl finds no file. If each line opened the file anew,
# the new file would lack the first lines, and their entries would be removed unsent.
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

# True if the hook that created the entry may still complete it. Removes the incomplete entry of a dead hook.
entry_is_growing() {
    local name=${1##*/} made pid
    made=${name%%.*}
    pid=${name#*.}
    pid=${pid%%.*}
    # bash evaluates these parts of the file name as numbers. A hook writes only digits.
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

# Removes entries, their .ok files first: an interrupted removal then cannot bring an event back.
entries_remove() {
    (($# > 0)) || return 0
    rm -f "${@/%/.ok}"
    rm -f "${@/%/.ev}"
}

# Removes the files that dead processes left behind. The pid follows the first dot of a name, or begins it in `posters`.
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

# Moves an entry that the server refuses to `rejected`, which keeps the newest max_rejected entries and 64 KiB of each.
entry_reject() {
    local kept
    mkdir -p "$state/rejected"
    head -c 65536 <"$1.ev" >"$state/rejected/${1##*/}.json"
    entries_remove "$1"
    kept=("$state/rejected"/*.json)
    ((${#kept[@]} > max_rejected)) && rm -f "${kept[@]:0:${#kept[@]}-max_rejected}"
    return 0
}

# The file `dropped` contains one line about dropped events. It is replaced as a whole, so each change is atomic.
# drop_count   the number of dropped events that are in no report yet
# drop_report  the id of the current report, or -; drop_told is its number of events, drop_time its time or -
# drop_until   the last entry of a removal that was counted but may be unfinished, or -
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

# Drops the oldest entries until the spool is within its bounds. Counts them before it removes them, and finishes an interrupted
# removal without counting again.
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
        # A dropped event has its numbers too, so the server notices that it is missing.
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

# Writes the report of dropped events to batch_file. Its id stays the same until the server has accepted it. False if there is
# nothing to report.
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
