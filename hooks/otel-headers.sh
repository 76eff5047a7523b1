#!/usr/bin/env bash
# Prints the headers for Claude Code's telemetry. The setting otelHeadersHelper names this script, so that the settings contain no
# key. Only the server of the configuration file may get the key. Therefore the script prints no header if the environment names
# an endpoint, a proxy or a certificate that the file does not name, or turns off certificate verification.

here=${BASH_SOURCE[0]%/*}
[[ $here == "${BASH_SOURCE[0]}" ]] && here=.
. "$here/lib/common.sh" && . "$here/lib/environment.sh" || exit 1

# True if, according to the environment, Claude Code sends its telemetry only to the server $file_url.
goes_to_the_server() {
    local name
    for name in OTEL_EXPORTER_OTLP_{,LOGS_,METRICS_,TRACES_}ENDPOINT; do
        case ${!name:-} in '' | "$file_url" | "$file_url"/*) ;; *) return 1 ;; esac
    done
    for name in OTEL_EXPORTER_OTLP_{,LOGS_,METRICS_,TRACES_}CERTIFICATE; do
        [[ -z ${!name:-} || ${!name} == "$file_ca" ]] || return 1
    done
    [[ ${NODE_TLS_REJECT_UNAUTHORIZED:-} != 0 ]] || return 1
    environment_spares_exactly "$file_url" && return
    for name in "${proxy_variables[@]}"; do
        [[ -z ${!name:-} || ${!name} == "$conf_proxy" ]] || return 1
    done
}

monitor_places
read_config_file
plain_url "$file_url" && file_url=$REPLY
form='^cmk_[0-9A-Za-z]+$'
headers='{}'
if [[ -n $file_url && $file_key =~ $form ]] && goes_to_the_server; then
    headers="{\"Authorization\":\"Bearer $file_key\"}"
fi
printf '%s\n' "$headers"
