# shellcheck shell=bash
# Sends the new part of each transcript to the server. Expects common.sh, stamp.sh, send.sh and, in the flusher, the lock.
#
# Files in `sent-transcripts`:
#   SESSION.due  the path of a transcript that may have grown, and the time of the event that named it (0: send it at once)
#   NAME         the number of sent bytes of a file, the time of the last request, and the path
#   NAME.back    the time since which the server has asked for sent bytes again, and how often
#   SESSION.on, SESSION.off  whether the environment of the session turns transcripts on or off
# The subagents of a session have transcripts of their own. They are sent together with the session's transcript.

# Bytes of a file in one request. Events wait while a request runs.
transcript_piece=262144
# Seconds between two requests for a transcript while its turn runs.
transcript_pause=10
# Seconds after the end of a turn in which Claude Code may still write to its transcript.
transcript_tail=2

# The environment may contain variables of these names.
transcript_until=0 transcripts_not_before=0 transcript_tries=0
transcripts_blocked=no transcript_noted='' transcript_urgent=''
# The path to report to the server, if it is not that of the file that is sent.
transcript_path=''

# Writes the .due file of the transcript that the event $1 names.
transcript_note() {
    local form='"data":[[:space:]]*\{[[:space:]]*"session_id":"([0-9A-Za-z-]+)","transcript_path":"(([^"\\]|\\["\\/])+)"'
    local kind='"event_type":"([A-Za-z]+)"' id path from
    [[ ${1:0:8192} =~ $form && ${#BASH_REMATCH[1]} -le 64 ]] || return 0
    id=${BASH_REMATCH[1]} path=${BASH_REMATCH[2]}
    case $path in *\\*) path=${path//\\\//\/} path=${path//\\\"/\"} path=${path//\\\\/\\} ;; esac
    transcripts_wanted "$id" || return 0
    case $path in *[[:cntrl:]]*) return 0 ;; /*.jsonl) ;; *) return 0 ;; esac
    stamp_now
    from=$stamp_s
    if [[ ${1:0:512} =~ $kind ]]; then
        case ${BASH_REMATCH[1]} in
            Stop | SubagentStop | SessionEnd | StopFailure | PreCompact | PostCompact)
                from=0 transcript_until=$((stamp_s + transcript_tail))
                ;;
        esac
    fi
    # One event of each kind, urgent or not, is enough for a session in a batch.
    case " $transcript_urgent " in *" $id "*) return 0 ;; esac
    if ((from == 0)); then
        transcript_urgent="$transcript_urgent $id"
    else
        case " $transcript_noted " in *" $id "*) return 0 ;; esac
        transcript_noted="$transcript_noted $id"
    fi
    [[ -d $state/sent-transcripts ]] || mkdir -p "$state/sent-transcripts"
    # A killed flusher may have left the transcript urgent; it stays urgent.
    if ((from)) && [[ -s $state/sent-transcripts/$id.due ]]; then
        { read -r _ && read -r kind; } <"$state/sent-transcripts/$id.due"
        [[ $kind == 0 ]] && return 0
    fi
    printf '%s\n%s\n' "$path" "$from" >"$state/sent-transcripts/$id.due"
}

# True if the transcript of the session $1 is sent. Only the machine's own server gets transcripts.
transcripts_wanted() {
    local mark=$state/sent-transcripts/$1
    [[ $state == "$state_root" && ! -e $mark.off ]] && [[ $conf_transcripts == on || -e $mark.on ]]
}

# Sends a piece of a transcript, or waits a moment. False if nothing is left to do now.
transcripts_step() {
    local mark path from waits=1
    [[ $transcripts_blocked == yes ]] && return 1
    stamp_now
    if ((stamp_s < transcripts_not_before)); then
        sleep 0.2
        return 0
    fi
    for mark in "$state"/sent-transcripts/*.due; do
        path='' from=0
        { read -r path && read -r from; } <"$mark"
        case $from in '' | *[!0-9]* | 0* | ?????????????*) from=0 ;; esac
        transcript_due "${mark%.due}" "$path" "$from" && return 0
        # Claude Code may write the last lines of a turn after its end.
        ((from == 0 && stamp_s < transcript_until)) && waits=0 && continue
        # A session that was killed in its turn sends no event that would make the transcript urgent.
        ((from == 0 || stamp_s - from > 600)) && rm -f "$mark"
    done
    # The next event may write a .due file again.
    transcript_noted='' transcript_urgent=''
    ((waits == 0)) && sleep 0.2
    return "$waits"
}

# Sends a piece of the transcript $2 or of one of its subagents. $1 is the path of the session's files in `sent-transcripts`. $3
# is the time in the .due file. False if nothing is left.
transcript_due() {
    local file files=("$2") size sent before
    [[ -f $2 && -r $2 ]] || return 1
    transcript_mark "$1" "$2"
    # While the turn runs, requests are transcript_pause seconds apart.
    ((${3:-0} == 0 || stamp_s - sent_at >= transcript_pause)) || return 1
    files+=("${2%.jsonl}"/subagents/*.jsonl "${2%.jsonl}"/subagents/workflows/*/*.jsonl)
    while read -r size file; do
        [[ $file == /* ]] || continue
        transcript_mark "$1" "$file"
        ((size == sent_bytes)) && continue
        before=$sent_bytes
        transcript_send "${1##*/}" "$file" "$size"
        # If the server accepted nothing of this file, go on with the next one.
        [[ $sent_bytes == "$before" && $transcripts_blocked != yes ]] && ((stamp_s >= transcripts_not_before)) && continue
        return 0
    done < <(wc -c -- "${files[@]}" 2>/dev/null)
    return 1
}

# Sets sent_file, sent_bytes and sent_at for the file $2. $1 is the path of its session's files in `sent-transcripts`.
transcript_mark() {
    sent_file=$1 sent_bytes=0 sent_at=0
    [[ $2 == */subagents/* ]] && sent_file=$1.${2##*/} && sent_file=${sent_file%.jsonl}
    if [[ -s $sent_file ]]; then
        read -r sent_bytes sent_at _ <"$sent_file"
    fi
    case $sent_bytes in '' | *[!0-9]* | 0* | ????????????????*) sent_bytes=0 ;; esac
    case $sent_at in '' | *[!0-9]* | 0* | ?????????????*) sent_at=0 ;; esac
}

transcript_keep() {
    stamp_now
    sent_at=$stamp_s
    printf '%s %s %s\n' "$sent_bytes" "$sent_at" "$1" >"$sent_file.new" && mv -f "$sent_file.new" "$sent_file"
}

# Sends the piece of the file $2 that follows sent_bytes. $1 is its session, $3 its size. Sets sent_bytes to the offset that the
# server expects next.
transcript_send() {
    local next
    ((sent_bytes > $3)) && sent_bytes=0
    transcript_post "$1" "$2" "$transcript_piece"
    case $http_status in
        202 | 409)
            next=''
            [[ $answer =~ \"next_offset\"[[:space:]]*:[[:space:]]*([0-9]{1,15})([^0-9]|$) ]] && next=$((10#${BASH_REMATCH[1]}))
            if [[ -n $next ]] && ((next > sent_bytes && next <= $3)); then
                sent_bytes=$next
                transcript_keep "$2"
            elif transcript_may_go_back; then
                sent_bytes=${next:-$sent_bytes}
                ((sent_bytes > $3)) && sent_bytes=$3
                transcript_keep "$2"
            else
                transcripts_blocked=yes
            fi
            ;;
        400 | 413 | 422)
            sent_bytes=$3
            transcript_keep "$2"
            ;;
        429 | 503)
            transcript_tries=$((transcript_tries + 1))
            ((transcript_tries > 5)) && transcripts_blocked=yes
            transcripts_not_before=$((stamp_s + (${retry_after:-1} > 10 ? 10 : ${retry_after:-1})))
            ;;
        *) transcripts_blocked=yes ;;
    esac
}

# A server may ask for bytes again, because it has lost them or the file was replaced. Returns false if it has asked three times
# within ten minutes, so it gets a file at most four times in that time. Counts the requests in NAME.back.
transcript_may_go_back() {
    local since='' times=''
    [[ -s $sent_file.back ]] && read -r since times <"$sent_file.back"
    case $since in '' | *[!0-9]* | 0* | ?????????????*) since=0 ;; esac
    number "$times" 0 && times=$REPLY
    stamp_now
    ((stamp_s - since < 600 && stamp_s >= since)) || since=$stamp_s times=0
    ((times < 3)) || return 1
    printf '%s %s\n' "$since" "$((times + 1))" >"$sent_file.back"
}

# Posts the bytes of the file $2 that follow sent_bytes, at most $3.
transcript_post() {
    local type=(--header 'Content-Type: application/x-ndjson') body=$state/transcript.$$ path_encoded
    percent_encode "${transcript_path:-$2}"
    path_encoded=$REPLY
    transcript_prefix "$2"
    if type -P gzip >/dev/null; then
        tail -c "+$((sent_bytes + 1))" -- "$2" | head -c "$3" | gzip -c >"$body"
        type+=(--header 'Content-Encoding: gzip')
    else
        tail -c "+$((sent_bytes + 1))" -- "$2" | head -c "$3" >"$body"
    fi
    curl_post /api/transcripts "$body" 60 "${type[@]}" --header "X-Transcript-Session: $1" \
        --header "X-Transcript-Path: $path_encoded" --header "X-Transcript-Offset: $sent_bytes" \
        --header "X-Transcript-Prefix: $prefix"
    rm -f "$body"
}

# prefix = the SHA-256 of the file's first sent_bytes bytes, at most 4096.
transcript_prefix() {
    local length=$((sent_bytes > 4096 ? 4096 : sent_bytes)) tool
    if type -P sha256sum >/dev/null; then
        tool=(sha256sum)
    elif type -P shasum >/dev/null; then
        tool=(shasum -a 256)
    else
        tool=(openssl dgst -sha256 -r)
    fi
    prefix=$(head -c "$length" -- "$1" | "${tool[@]}")
    prefix=${prefix%%[!0-9a-f]*}
}

# REPLY = $1 with all characters except letters, digits and /._~- as %XX.
percent_encode() {
    local i c code out=''
    for ((i = 0; i < ${#1}; i++)); do
        c=${1:i:1}
        case $c in
            [A-Za-z0-9/._~-]) out=$out$c ;;
            *)
                printf -v code '%d' "'$c"
                printf -v code '%%%02X' $((code & 255))
                out=$out$code
                ;;
        esac
    done
    REPLY=$out
}

transcripts_close() {
    rm -f "$state"/transcript.*
}
