# shellcheck shell=bash
# Time and event ids, without a process where bash can do it. Expects common.sh, LC_ALL=C and $state.

# Sets stamp_us (Unix time in microseconds, 16 digits), stamp_s and stamp_iso (RFC 3339, UTC, milliseconds).
# bash 5 needs no process. An older bash runs `date`. If `date` prints no fraction (macOS), a counter numbers the events of a
# second in the order of their start.
stamp_now() {
    local now fraction
    # In an older bash, EPOCHREALTIME can only come from the environment.
    if ((BASH_VERSINFO[0] >= 5)); then
        stamp_us=${EPOCHREALTIME/[.,]/}
        stamp_s=${stamp_us%??????}
        fraction=${stamp_us#"$stamp_s"}
        TZ=UTC0 printf -v stamp_iso '%(%Y-%m-%dT%H:%M:%S)T' "$stamp_s"
    else
        now=$(date -u '+%s %N %Y-%m-%dT%H:%M:%S') || return 1
        stamp_s=${now%% *}
        case $stamp_s in '' | *[!0-9]*) return 1 ;; esac
        stamp_iso=${now##* }
        fraction=${now#* }
        fraction=${fraction%% *}
        case $fraction in
            *[!0-9]* | '') stamp_tick ;;
            *) fraction=${fraction:0:6} ;;
        esac
        stamp_us=$stamp_s$fraction
    fi
    stamp_iso=$stamp_iso.${fraction:0:3}Z
    case $stamp_us in *[!0-9]* | 0*) return 1 ;; ????????????????) ;; *) return 1 ;; esac
}

# fraction = six digits that grow by one millisecond with each call within the second stamp_s.
stamp_tick() {
    local second='' step=0
    [[ -r $state/tick ]] && read -r second step <"$state/tick"
    number "$step" 0
    if [[ $second == "$stamp_s" ]]; then step=$((REPLY + 1)); else step=0; fi
    ((step > 999)) && step=999
    printf '%s %s\n' "$stamp_s" "$step" >"$state/tick"
    printf -v fraction '%03d000' "$step"
}

# event_id = a new UUIDv7 (RFC 9562) of the time in $1 (microseconds).
event_id_new() {
    local time random='' i byte
    printf -v time '%012x' $(($1 / 1000))
    if [[ -r /proc/sys/kernel/random/uuid ]] && read -r random </proc/sys/kernel/random/uuid; then
        random=${random:0:8}${random:9:4}${random:24:12}
    elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        printf -v random '%08x%08x%08x' "$SRANDOM" "$SRANDOM" "$SRANDOM"
    else
        # read returns nothing for a NUL byte, so $RANDOM and the pid are mixed in.
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            byte=''
            IFS= read -r -d '' -n 1 byte </dev/urandom
            printf -v byte '%d' "'$byte"
            printf -v byte '%02x' $(((byte ^ RANDOM ^ $$ >> (i % 4 * 4)) & 255))
            random=$random$byte
        done
    fi
    i=$((16#${random:3:1} & 3))
    byte=89ab
    event_id=${time:0:8}-${time:8:4}-7${random:0:3}-${byte:i:1}${random:4:3}-${random:7:12}
}
