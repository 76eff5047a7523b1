# shellcheck shell=bash
# Numbers the events, so that the server notices a missing one. An event has a number in the spool's stream and one in its
# session. The flusher assigns the numbers in the order of sending, and writes them to the event's .ok file before it sends the
# event. So an event never changes its numbers.
#
# The file `stream` contains the stream's id and the last number, `session-numbers/ID` the last number of a session. New lines are
# appended, and the last line counts. So a killed process loses no number, and no number is used twice. Expects spool.sh.

# Sets stream_id and stream_n, by the file `stream` and the numbers in the .ok files.
stream_load() {
    local mark n session_n line variable
    # The environment may contain variables of these names.
    for variable in "${!session_n_@}"; do unset "$variable"; done
    stream_id='' stream_n=0
    if [[ -s $state/stream ]]; then
        while read -r line n _; do
            case $line in *[!0-9a-f-]* | '') ;; *) stream_id=$line && number "$n" 0 && stream_n=$REPLY ;; esac
        done <"$state/stream"
    fi
    if [[ -z $stream_id ]]; then
        stamp_now && event_id_new "$stamp_us" || return
        stream_id=$event_id stream_n=0
        rm -rf "$state/session-numbers"
    fi
    [[ -d $state/session-numbers ]] || mkdir -p "$state/session-numbers"
    for mark in "$spool"/*.ok; do
        [[ -s $mark ]] || continue
        read -r n session_n <"$mark"
        number "$n" 0 && ((REPLY > stream_n)) && stream_n=$REPLY
        case $session_n in '' | -) continue ;; esac
        IFS= read -r line <"${mark%.ok}.ev"
        stream_session "$line" || continue
        number "$session_n" 0 && ((REPLY > session_last)) && stream_keep_session "$REPLY"
    done
    printf '%s %s\n' "$stream_id" "$stream_n" >"$state/stream.new" && mv -f "$state/stream.new" "$state/stream"
    ((RANDOM % 64)) || find "$state/session-numbers" -type f -mtime +90 -exec rm -f {} + 2>/dev/null
}

# Sets session, and session_last, the last number used in it. False if the event $1 names no session.
stream_session() {
    local form='"data":[[:space:]]*\{[[:space:]]*"session_id":[[:space:]]*"([0-9A-Za-z-]+)"' line variable
    [[ ${1:0:8192} =~ $form && ${#BASH_REMATCH[1]} -le 64 ]] || return 1
    session=${BASH_REMATCH[1]}
    variable=session_n_${session//-/_}
    session_last=${!variable:-}
    if [[ -z $session_last ]]; then
        session_last=0
        if [[ -s $state/session-numbers/$session ]]; then
            while read -r line; do number "$line" "$session_last" && session_last=$REPLY; done <"$state/session-numbers/$session"
            # Shorten the file to its last line before lines are appended.
            printf '%s\n' "$session_last" >"$state/session-numbers/$session.new" &&
                mv -f "$state/session-numbers/$session.new" "$state/session-numbers/$session"
        fi
        printf -v "$variable" '%s' "$session_last"
    fi
}

stream_keep_session() {
    session_last=$1
    printf -v "session_n_${session//-/_}" '%s' "$1"
    printf '%s\n' "$1" >>"$state/session-numbers/$session"
}

# REPLY = the member `stream` for the entry $1 with the text $2, followed by a comma. Empty if its numbers cannot be stored.
stream_number() {
    local n='' session_n='' next=-
    [[ -s $1.ok ]] && read -r n session_n <"$1.ok"
    case $n in '' | *[!0-9]*) n='' ;; esac
    if [[ -z $n ]]; then
        REPLY=''
        stream_session "$2" && next=$((session_last + 1))
        n=$((stream_n + 1)) session_n=$next
        printf '%s %s\n' "$n" "$session_n" >"$1.ok" || return 0
        stream_n=$n
        printf '%s %s\n' "$stream_id" "$n" >>"$state/stream"
        [[ $next == - ]] || stream_keep_session "$next"
    fi
    case $session_n in
        '' | *[!0-9]*) REPLY="\"stream\":{\"id\":\"$stream_id\",\"n\":$n}," ;;
        *) REPLY="\"stream\":{\"id\":\"$stream_id\",\"n\":$n,\"session_n\":$session_n}," ;;
    esac
}
