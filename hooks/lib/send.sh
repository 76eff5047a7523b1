# shellcheck shell=bash
# Calls curl, and reads the answer to a batch. Expects stamp.sh.

# The release of these hooks. The server shows it with the machine.
hooks_version=0.1.0

# REPLY = $1 as a quoted value of curl's configuration format. Quotes cannot contain a line break, so the caller must have refused
# values with one.
curl_quote() {
    REPLY=${1//\\/\\\\}
    REPLY=\"${REPLY//\"/\\\"}\"
}

# Prints curl's configuration for a request of the path $1. curl reads it from standard input, so the key is on no command line.
curl_config() {
    curl_quote "$conf_url$1"
    printf 'url = %s\n' "$REPLY"
    curl_quote "Authorization: Bearer $conf_key"
    printf 'header = %s\n' "$REPLY"
    printf 'user-agent = "claude-monitor-hooks/%s"\n' "$hooks_version"
    # The server compares the machine's clock with its own.
    stamp_now && printf 'header = "X-Machine-Time: %s"\n' "$stamp_iso"
    if [[ -n $conf_proxy ]]; then
        curl_quote "$conf_proxy"
        printf 'proxy = %s\nnoproxy = "localhost,127.0.0.1,::1"\n' "$REPLY"
    else
        printf 'noproxy = "*"\n'
    fi
    if [[ -n $conf_ca ]]; then
        curl_quote "$conf_ca"
        printf 'cacert = %s\n' "$REPLY"
    fi
}

# Replaces this shell with curl and the arguments after $1, with an empty environment. From an environment, curl and its libraries
# would take proxies, certificate files, a file for session keys and their configuration. The system ends curl when the head or
# the body of the answer exceeds $1 KiB. curl's own limit is not enough, because a server need not announce the length of its
# answer.
curl_bounded() {
    ulimit -c 0
    ulimit -f "$1"
    shift
    exec -c curl "$@"
}

# Posts the file $2 to the path $1 within $3 seconds. The other arguments go to curl. Sets http_status (000: no answer, or one
# that is too large), retry_after (seconds, or empty) and answer.
curl_post() {
    local path=$1 body=$2 seconds=$3 file=$state/answer.$$
    shift 3
    http_status='' retry_after='' answer=''
    rm -f "$file" "$file.head"
    http_status=$(
        curl_config "$path" | curl_bounded 64 -q --config - --silent --globoff --proto '=http,https' --connect-timeout 3 \
            --max-time "$seconds" "$@" --header 'Expect:' --data-binary "@$body" --dump-header "$file.head" \
            --output "$file" --write-out '%{http_code}'
    ) || http_status=000
    case $http_status in [0-9][0-9][0-9]) ;; *) http_status=000 ;; esac
    if [[ $http_status != 000 ]]; then
        [[ -r $file ]] && IFS= read -r -d '' answer <"$file"
        [[ -r $file.head ]] && answer_head <"$file.head"
    fi
    rm -f "$file" "$file.head"
}

# Sets retry_after from the head of an answer.
answer_head() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        case $line in
            [Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]:*)
                line=${line#*:}
                line=${line// /}
                case $line in '' | *[!0-9]* | ???????*) ;; *) retry_after=$((10#$line)) ;; esac
                ;;
        esac
    done
}

batch_post() {
    curl_post /api/events "$batch_file" 20 --header 'Content-Type: application/x-ndjson'
}

# rejected = the positions (from 0) of the items that the answer lists as rejected. The answer lists the items in the order of the
# request.
answer_rejected() {
    local rest=$answer position=0 status
    local pattern='"status"[[:space:]]*:[[:space:]]*"([a-z]+)"'
    rejected=()
    case $rest in *'"rejected"'*) ;; *) return 0 ;; esac
    while ((position < ${#batch_entries[@]})) && [[ $rest =~ $pattern ]]; do
        status=${BASH_REMATCH[1]}
        [[ $status == rejected ]] && rejected[${#rejected[@]}]=$position
        position=$((position + 1))
        rest=${rest#*"${BASH_REMATCH[0]}"}
    done
}
