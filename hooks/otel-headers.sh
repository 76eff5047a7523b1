#!/usr/bin/env bash
# Prints the headers for Claude Code's telemetry, as its setting otelHeadersHelper asks for them, so that no key stands in the
# settings. The key goes to the server of the configuration file only: an endpoint that points elsewhere gets no header.

LC_ALL=C
here=${BASH_SOURCE[0]%/*}
. "$here/lib/common.sh" || exit 1

monitor_places
read_config_file
plain_url "$file_url" && file_url=$REPLY
form='^cmk_[0-9A-Za-z]+$'
headers='{}'
if [[ -n $file_url && $file_key =~ $form ]]; then
    headers="{\"Authorization\":\"Bearer $file_key\"}"
    for name in OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_ENDPOINT \
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT; do
        case ${!name:-} in '' | "$file_url" | "$file_url"/*) ;; *) headers='{}' ;; esac
    done
fi
printf '%s\n' "$headers"
