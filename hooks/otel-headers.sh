#!/usr/bin/env bash
# Prints the headers for Claude Code's telemetry, as its setting otelHeadersHelper asks for them, so that no key stands in the
# settings. The key goes to the server of the configuration file only: there is no header if the environment names another
# endpoint, a proxy or a certificate that are not those of the file, or turns off the check of certificates.

here=${BASH_SOURCE[0]%/*}
[[ $here == "${BASH_SOURCE[0]}" ]] && here=.
. "$here/lib/common.sh" && . "$here/lib/environment.sh" || exit 1

# True if Claude Code sends its telemetry to the server $file_url and nowhere else, as far as its environment tells.
goes_to_the_server() {
    local name
    for name in OTEL_EXPORTER_OTLP_{,LOGS_,METRICS_,TRACES_}ENDPOINT; do
        case ${!name:-} in '' | "$file_url" | "$file_url"/*) ;; *) return 1 ;; esac
    done
    for name in OTEL_EXPORTER_OTLP_{,LOGS_,METRICS_,TRACES_}CERTIFICATE; do
        [[ -z ${!name:-} || ${!name} == "$file_ca" ]] || return 1
    done
    [[ ${NODE_TLS_REJECT_UNAUTHORIZED:-} != 0 ]] || return 1
    environment_spares "$file_url" && return
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
