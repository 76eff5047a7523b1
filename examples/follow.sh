#!/usr/bin/env bash
# Lists the sessions of a monitor server, then prints its events as they are committed. Needs bash and curl.
#
#     MONITOR_URL=http://127.0.0.1:8766 MONITOR_TOKEN=... examples/follow.sh [EPOCH:SEQ]
#
# EPOCH:SEQ is the last position that an earlier run printed; the program then continues after that event. It prints an event as a
# line of its position, its type and its JSON.
set -euo pipefail

url="${MONITOR_URL:-http://127.0.0.1:8766}"
: "${MONITOR_TOKEN:?set MONITOR_TOKEN to the admin token or to the access token of a device}"
place="${1:-}"

# get PATH [CURL ARGUMENT...]: the header comes from a file, so that the token is not in the list of processes.
get() {
    local path="$1"
    shift
    curl -sS "$url$path" -H @<(printf 'Authorization: Bearer %s\n' "$MONITOR_TOKEN") "$@"
}

# The position is read before the sessions. So an event in between is shown twice, but none is missed.
start() {
    local head
    if [[ -z "$place" ]]; then
        head="$(get '/v1/events?limit=1&order=desc' --fail)"
        [[ "$head" =~ \"meta\":\{[^}]*\"epoch\":\"([^\"]+)\" ]] && place="${BASH_REMATCH[1]}"
        [[ "$head" =~ \"meta\":\{[^}]*\"head\":([0-9]+) ]] && place+=":${BASH_REMATCH[1]}"
    fi
    get '/v1/sessions?limit=50' --fail
    echo
}

# Reads one stream to its end. Comments come every 20 s; a connection without them for 45 s is dead.
stream() {
    local line type="" status=0
    while IFS= read -r line; do
        case "$line" in
            "id: "*) place="${line#id: }" ;;
            "event: "*) type="${line#event: }" ;;
            "data: "*) if [[ "$type" != reset ]]; then printf '%s %s %s\n' "$place" "$type" "${line#data: }"; fi ;;
            "") if [[ "$type" == reset ]]; then echo reset; start; fi; type="" ;;
            "status: "*) status="${line#status: }" ;;
        esac
    done < <(get /v1/events --no-buffer --fail -H 'Accept: text/event-stream' -H "Last-Event-ID: $place" \
        --speed-limit 1 --speed-time 45 --write-out '\nstatus: %{http_code}\n' 2>/dev/null || true)
    case "$status" in
        400 | 401 | 403)
            echo "follow.sh: the server answers $status" >&2
            exit 1
            ;;
    esac
}

start
while true; do
    stream
    sleep 1
done
