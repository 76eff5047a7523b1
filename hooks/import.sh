#!/usr/bin/env bash
# Sends the transcripts that existed before the hooks were installed.

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
usage: import.sh [--from PATH] [--json]

  --from PATH   a directory, searched with its subdirectories, or one file; default: ~/.claude/projects
  --json        print a line of JSON at the end

Sends each transcript (*.jsonl, *.jsonl.gz) from where the last run ended, and shows the progress. If the name of a file is not a
session id, the file belongs to the session that its lines name. The server does not store a line twice. You can stop this
command at any time and run it again.

Exit status: 0 done; 1 the server refused or could not be reached, or files were not sent (each is printed with its reason);
2 a tool is missing.
TEXT
}

# Reports that the file $1 was not sent, with the reason $2.
not_taken() {
    warn "$1: $2"
    not_sent=$((not_sent + 1))
}

is_id() {
    [[ $1 =~ ^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$ ]]
}

# Sets session and mark for the transcript $1; $2 is the file with its uncompressed text. The session id is the file's name. For a
# subagent's file, it is the name of the directory that contains `subagents`. If that name is not a session id, the id in the
# file's lines is used. Fails if there is none.
session_of() {
    session=$1
    case $1 in */subagents/*) session=${1%%/subagents/*}.jsonl ;; esac
    session=${session##*/}
    session=${session%.jsonl}
    mark=$state/sent-transcripts/$session
    is_id "$session" && return 0
    session=$(head -c 262144 -- "$2" | grep -ao '"sessionId"[[:space:]]*:[[:space:]]*"[0-9A-Za-z-]\{1,64\}"' | head -n 1)
    session=${session%\"}
    session=${session##*\"}
    # Several files may name one session.
    mark=$state/sent-transcripts/$session.$(printf '%s' "$1" | cksum | tr -c '0-9\n' '-')
    [[ -n $session ]]
}

# Adds the transcripts below $1 to `files`, and reports paths that are not regular files.
find_files() {
    local file
    while IFS= read -r -d '' file; do
        if [[ -d $file ]]; then
            not_taken "$file" "a directory with the name of a transcript file"
        elif [[ ! -e $file ]]; then
            not_taken "$file" "a broken symbolic link"
        elif [[ ! -f $file ]]; then
            not_taken "$file" "not a regular file"
        else
            files+=("$file")
        fi
    done < <(find -L "$1" \( -name '*.jsonl' -o -name '*.jsonl.gz' \) -print0)
}

# Sends the transcript $1. False if the import must stop.
import_path() {
    local plain=$1 size
    transcript_path=''
    [[ -r $1 ]] || { not_taken "$1" "cannot be read" && return 0; }
    if [[ $1 == *.gz ]]; then
        plain=$state/import.$$.jsonl transcript_path=$1
        gzip -dc -- "$1" >"$plain" 2>/dev/null || { not_taken "$1" "not a gzip file, or too large to unpack here" && return 0; }
    fi
    size=$(wc -c <"$plain") || { not_taken "$1" "cannot be read" && return 0; }
    size=$((size))
    [[ $1 == *.gz ]] && bytes_total=$((bytes_total + size))
    if ((size == 0)); then
        # Claude Code may leave an empty transcript.
        local name=${1##*/}
        is_id "${name%.jsonl}" || not_taken "$1" "empty"
        return 0
    fi
    session_of "$1" "$plain" || { not_taken "$1" "not a transcript: its lines name no session" && return 0; }
    import_file "$plain" "$size" "$1"
}

show_progress() {
    say "$files_done of ${#files[@]} files, $((sent_total / 1024)) of $((bytes_total / 1024)) KiB, $(rate)"
}

rate() {
    local elapsed=$((SECONDS - began > 0 ? SECONDS - began : 1))
    printf '%s KiB/s' "$((sent_total / 1024 / elapsed))"
}

# Sends the file $1 to its end. $2 is its size in bytes, $3 the path to print. False if the import must stop.
import_file() {
    local size=$2 before tries=0
    while :; do
        transcript_mark "$mark" "$1"
        ((sent_bytes == size)) && return 0
        before=$sent_bytes
        transcript_send "$session" "$1" "$size"
        case $http_status in
            202 | 409) ((sent_bytes > before)) && sent_total=$((sent_total + sent_bytes - before)) ;;
            400 | 413 | 422)
                rm -f "$sent_file"
                not_taken "$3" "the server refuses it (HTTP $http_status)"
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
            not_taken "$3" "the server accepts no more of it"
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
    local from=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects as_json=no file
    while (($# > 0)); do
        case $1 in
            --from)
                (($# > 1)) || die 1 "--from needs a path"
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
    [[ -e $from ]] || die 1 "$from does not exist"
    mkdir -p "$state/sent-transcripts" || die 1 "$state cannot be written"
    trap 'rm -f "$state/transcript.$$" "$state/import.$$.jsonl"' EXIT
    # The largest piece that the server accepts.
    transcript_piece=1048576
    files=() files_done=0 not_sent=0 sent_total=0 bytes_total=0 began=$SECONDS shown_at=$SECONDS
    # With --json, only the last line goes to standard output.
    exec 3>&1
    if [[ $as_json == yes ]]; then exec 1>&2; fi
    if [[ -f $from ]]; then files=("$from"); else find_files "$from"; fi
    ((${#files[@]} + not_sent > 0)) || die 1 "$from contains no transcripts (*.jsonl)"
    for file in ${files[@]+"${files[@]}"}; do
        [[ $file == *.gz ]] || bytes_total=$((bytes_total + $(wc -c <"$file")))
    done
    say "${#files[@]} files, $((bytes_total / 1024)) KiB in $from"
    for file in ${files[@]+"${files[@]}"}; do
        import_path "$file" || die 1 "HTTP $http_status from $conf_url; $files_done files were sent, run this again to continue"
        files_done=$((files_done + 1))
    done
    say "done: $files_done files, $sent_total bytes sent in $((SECONDS - began)) s, $(rate)"
    if [[ $as_json == yes ]]; then
        printf '{"files":%d,"bytes":%d,"seconds":%d,"not_taken":%d}\n' \
            "$files_done" "$sent_total" "$((SECONDS - began))" "$not_sent" >&3
    fi
    ((not_sent == 0)) || die 1 "$not_sent files were not sent"
}

main "$@"
