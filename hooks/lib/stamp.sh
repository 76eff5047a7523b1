# shellcheck shell=bash
# Time and event ids. An older bash and other systems take portable.sh. Expects common.sh, LC_ALL=C and $state.

# Sets stamp_us (Unix time in microseconds, 16 digits), stamp_s and stamp_iso (RFC 3339, UTC, milliseconds).
stamp_now() {
    local fraction
    # In an older bash, EPOCHREALTIME can only come from the environment.
    if ((BASH_VERSINFO[0] >= 5)); then
        stamp_us=${EPOCHREALTIME/[.,]/}
        stamp_s=${stamp_us%??????}
        fraction=${stamp_us#"$stamp_s"}
        TZ=UTC0 printf -v stamp_iso '%(%Y-%m-%dT%H:%M:%S)T' "$stamp_s"
    else
        . "${BASH_SOURCE[0]%/*}/portable.sh" && stamp_by_date || return 1
    fi
    stamp_iso=$stamp_iso.${fraction:0:3}Z
    case $stamp_us in *[!0-9]* | 0*) return 1 ;; ????????????????) ;; *) return 1 ;; esac
}

# event_id = a new UUIDv7 (RFC 9562) of the time in $1 (microseconds).
event_id_new() {
    local time random='' i byte
    printf -v time '%012x' $(($1 / 1000))
    if [[ -r /proc/sys/kernel/random/uuid ]] && read -r random </proc/sys/kernel/random/uuid; then
        random=${random:0:8}${random:9:4}${random:24:12}
    else
        . "${BASH_SOURCE[0]%/*}/portable.sh" && random_digits
    fi
    i=$((16#${random:3:1} & 3))
    byte=89ab
    event_id=${time:0:8}-${time:8:4}-7${random:0:3}-${byte:i:1}${random:4:3}-${random:7:12}
}
