#!/usr/bin/env bash
# Sends the transcripts that are there already: the history from before the monitor.

set -u
umask 077
unset -v CDPATH
shopt -s nullglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
. "$here/lib/environment.sh" && environment_forget here || exit 1
for part in common setup stamp send transcripts; do
    # shellcheck source=/dev/null
    . "$here/lib/$part.sh" || exit 1
done

usage() {
    cat <<'TEXT'
usage: import.sh [--from DIRECTORY] [--json]

  --from DIRECTORY   the projects' directory; ~/.claude/projects unless given

Sends each transcript in it from where it was last sent, and says how far it is. What the server has already is not stored
twice. It can be stopped at any time and run again. Exit: 0 done, 1 refused or not reachable, 2 a tool is missing.
TEXT
}

# The session of a transcript: its name, or for a subagent's file the directory that holds `subagents`.
session_of() {
    session=$1
    case $1 in */subagents/*) session=${1%%/subagents/*}.jsonl ;; esac
    session=${session##*/}
    session=${session%.jsonl}
}

show_progress() {
    say "$files_done of ${#files[@]} files, $((sent_total / 1024)) of $((bytes_total / 1024)) KiB, $(rate)"
}

rate() {
    local elapsed=$((SECONDS - began > 0 ? SECONDS - began : 1))
    printf '%s KiB/s' "$((sent_total / 1024 / elapsed))"
}

# Sends one file to its end. False if the server cannot be gone on with.
import_file() {
    local size=$2 before tries=0
    session_of "$1"
    case $session in *[!0-9A-Za-z-]* | '') return 0 ;; esac
    while :; do
        transcript_mark "$state/sent-transcripts/$session" "$1"
        ((sent_bytes == size)) && return 0
        before=$sent_bytes
        transcript_send "$session" "$1" "$size"
        case $http_status in
            202 | 409) ((sent_bytes > before)) && sent_total=$((sent_total + sent_bytes - before)) ;;
            400 | 413 | 422)
                warn "HTTP $http_status: the server does not take $1"
                return 0
                ;;
            429 | 503 | 000)
                ((++tries > 8)) && break
                sleep "$((${retry_after:-$tries} > 60 ? 60 : ${retry_after:-$tries}))"
                transcripts_blocked=no transcript_tries=0
                ;;
            *) break ;;
        esac
        if [[ $transcripts_blocked == yes ]]; then
            warn "the server does not go on with $1"
            transcripts_blocked=no
            return 0
        fi
        if ((SECONDS > shown_at)); then
            shown_at=$SECONDS
            show_progress
        fi
    done
    return 1
}

main() {
    local from=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects as_json=no size file
    while (($# > 0)); do
        case $1 in
            --from)
                (($# > 1)) || die 1 "--from needs a value"
                from=$2
                shift
                ;;
            --json) as_json=yes ;;
            -h | --help) usage && exit 0 ;;
            *) usage >&2 && die 1 "unknown option $1" ;;
        esac
        shift
    done
    command -v curl >/dev/null || die 2 "curl is needed to send the transcripts; please install it"
    monitor_places
    monitor_config
    [[ -n $conf_url && -n $conf_key ]] || die 1 "no server is configured: run install.sh first"
    [[ $from == /* ]] || from=$PWD/$from
    [[ -d $from ]] || die 1 "$from is not there"
    mkdir -p "$state/sent-transcripts" || die 1 "$state cannot be written"
    trap 'rm -f "$state/transcript.$$"' EXIT
    # The largest piece that the server takes.
    transcript_piece=1048576
    files=("$from"/*/*.jsonl "$from"/*/*/subagents/*.jsonl "$from"/*/*/subagents/workflows/*/*.jsonl)
    files_done=0 sent_total=0 bytes_total=0 began=$SECONDS shown_at=$SECONDS
    for file in ${files[@]+"${files[@]}"}; do
        size=$(wc -c <"$file") && bytes_total=$((bytes_total + size))
    done
    # The last line alone is for programs.
    exec 3>&1
    if [[ $as_json == yes ]]; then exec 1>&2; fi
    say "${#files[@]} files, $((bytes_total / 1024)) KiB in $from"
    for file in ${files[@]+"${files[@]}"}; do
        size=$(wc -c <"$file") || continue
        import_file "$file" "$((size))" || die 1 "HTTP $http_status from $conf_url; $files_done files are sent, run this again to go on"
        files_done=$((files_done + 1))
    done
    say "done: $files_done files, $sent_total bytes sent in $((SECONDS - began)) s, $(rate)"
    if [[ $as_json == yes ]]; then
        printf '{"files":%d,"bytes":%d,"seconds":%d}\n' "$files_done" "$sent_total" "$((SECONDS - began))" >&3
    fi
}

main "$@"
