# shellcheck shell=bash
# Finds the live sessions of Claude Code on this machine in its registry, which has a file for each process. Starts no process.

# Sets sessions_count, session_ids (separated by spaces) and sessions_json, a JSON array.
sessions_read() {
    local file text pid session out
    sessions_count=0 sessions_json='' session_ids=''
    for file in "${CLAUDE_CONFIG_DIR:-$HOME/.claude}"/sessions/*.json; do
        pid=${file##*/}
        pid=${pid%.json}
        case $pid in '' | *[!0-9]* | 0* | ??????????*) continue ;; esac
        text=''
        IFS= read -r -d '' text <"$file"
        session_lives "$pid" "$text" || continue
        registry_string sessionId "$text" || continue
        session_ids="$session_ids ${REPLY//\"/}"
        out="{\"session_id\":$REPLY,\"pid\":$pid"
        registry_string status "$text" && out="$out,\"status\":$REPLY"
        registry_string waitingFor "$text" && out="$out,\"waiting_for\":$REPLY"
        registry_string kind "$text" && out="$out,\"kind\":$REPLY"
        registry_string cwd "$text" && out="$out,\"cwd\":$REPLY"
        registry_number startedAt "$text" && out="$out,\"started_at_ms\":$REPLY"
        registry_number statusUpdatedAt "$text" && out="$out,\"status_updated_at_ms\":$REPLY"
        sessions_json="$sessions_json${sessions_json:+,}$out}"
        sessions_count=$((sessions_count + 1))
        ((sessions_count >= 200)) && break
    done
    sessions_json="[$sessions_json]"
}

# True if the process $1 runs and is the one that the registry file with the text $2 describes. Another process may have the same
# pid.
session_lives() {
    local line fields
    process_lives "$1" || return 1
    [[ -r /proc/$1/stat ]] && registry_string procStart "$2" || return 0
    read -r line <"/proc/$1/stat"
    read -r -a fields <<<"${line##*) }"
    [[ $REPLY == "\"${fields[19]}\"" ]]
}

# REPLY = the string $1 of the JSON object $2, with its quotes. False if there is none.
registry_string() {
    local form="\"$1\"[[:space:]]*:[[:space:]]*(\"([^\"\\\\[:cntrl:]]|\\\\[\"\\\\/bfnrtu])*\")"
    [[ $2 =~ $form ]] && REPLY=${BASH_REMATCH[1]}
}

registry_number() {
    local form="\"$1\"[[:space:]]*:[[:space:]]*([0-9]{1,15})[^0-9]"
    [[ $2 =~ $form ]] && REPLY=${BASH_REMATCH[1]}
}
