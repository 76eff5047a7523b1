# shellcheck shell=bash
# One POST of batch_file and what its answer means.

# A value of curl's configuration format, in quotes.
curl_quote() {
    REPLY=${1//\\/\\\\}
    REPLY=\"${REPLY//\"/\\\"}\"
}

# What curl reads from its standard input, so that the key is on no command line.
curl_config() {
    local direct
    curl_quote "$conf_url/api/events"
    printf 'url = %s\n' "$REPLY"
    curl_quote "Authorization: Bearer $conf_key"
    printf 'header = %s\n' "$REPLY"
    direct=${no_proxy:-${NO_PROXY:-}}
    curl_quote "${direct:+$direct,}localhost,127.0.0.1,::1"
    printf 'noproxy = %s\n' "$REPLY"
    if [[ -n $conf_ca ]]; then
        curl_quote "$conf_ca"
        printf 'cacert = %s\n' "$REPLY"
    fi
}

# Posts batch_file. Sets http_status (000: no answer), retry_after (seconds, or empty) and answer.
batch_post() {
    local line
    http_status='' retry_after='' answer=''
    rm -f "$state/answer" "$state/answer.head"
    http_status=$(curl_config | curl -q --config - --silent --proto '=http,https' --connect-timeout 3 --max-time 20 \
        --header 'Content-Type: application/x-ndjson' --header 'Expect:' --data-binary "@$batch_file" \
        --dump-header "$state/answer.head" --output "$state/answer" --write-out '%{http_code}') || http_status=000
    if [[ -r $state/answer ]]; then
        while IFS= read -r line || [[ -n $line ]]; do answer="$answer$line "; done <"$state/answer"
    fi
    [[ -r $state/answer.head ]] || return 0
    while IFS= read -r line; do
        line=${line%$'\r'}
        case $line in
            [Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]:*)
                line=${line#*:}
                line=${line// /}
                case $line in '' | *[!0-9]* | ???????*) ;; *) retry_after=$((10#$line)) ;; esac
                ;;
        esac
    done <"$state/answer.head"
}

# rejected = the positions (from 0) of the items that a 202 lists as rejected; the answer is in request order.
answer_rejected() {
    local rest=$answer position=0 status
    local pattern='"status"[[:space:]]*:[[:space:]]*"([a-z]+)"'
    rejected=()
    case $rest in *'"rejected"'*) ;; *) return 0 ;; esac
    while [[ $rest =~ $pattern ]]; do
        status=${BASH_REMATCH[1]}
        [[ $status == rejected ]] && rejected[${#rejected[@]}]=$position
        position=$((position + 1))
        rest=${rest#*"${BASH_REMATCH[0]}"}
    done
}
