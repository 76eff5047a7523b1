# shellcheck shell=bash
# What stamp.sh needs where bash is older than 5 or the system has no /proc. Expects common.sh, LC_ALL=C and $state.

# Sets stamp_s, stamp_us and stamp_iso without its fraction, and fraction, by `date`. If `date` prints no fraction (macOS), a
# counter numbers the events of a second in the order of their start.
stamp_by_date() {
    local now
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
}

# Sets fraction, six digits of microseconds. Each call within the second stamp_s adds one millisecond.
stamp_tick() {
    local second='' step=0
    [[ -r $state/tick ]] && read -r second step <"$state/tick"
    number "$step" 0
    if [[ $second == "$stamp_s" ]]; then step=$((REPLY + 1)); else step=0; fi
    ((step > 999)) && step=999
    printf '%s %s\n' "$stamp_s" "$step" >"$state/tick"
    printf -v fraction '%03d000' "$step"
}

# random = 24 hexadecimal digits.
random_digits() {
    local i byte
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        printf -v random '%08x%08x%08x' "$SRANDOM" "$SRANDOM" "$SRANDOM"
        return
    fi
    # read returns nothing for a NUL byte, so $RANDOM and the pid are mixed in.
    random=''
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        byte=''
        IFS= read -r -d '' -n 1 byte </dev/urandom
        printf -v byte '%d' "'$byte"
        printf -v byte '%02x' $(((byte ^ RANDOM ^ $$ >> (i % 4 * 4)) & 255))
        random=$random$byte
    done
}
