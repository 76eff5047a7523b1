# shellcheck shell=bash
# The flusher's lock: a file with the owner's pid and its last sign of life. Expects common.sh.

lock_now() {
    stamp_now || return 1
    lock_line="$$ $stamp_s"
}

# True if this process got the lock. A lock that nobody alive holds is taken over.
lock_acquire() {
    local try
    for try in 1 2 3; do
        lock_now || return 1
        if (set -C && printf '%s\n' "$lock_line" >"$lock") 2>/dev/null; then return 0; fi
        lock_held "$stamp_s" && return 1
        # Empty for an instant while its owner writes it.
        sleep 0.2
        lock_held "$stamp_s" && return 1
        lock_take_over && return 0
    done
    return 1
}

# Replaces a dead owner's lock. The link `.successor` to a file with this process's pid admits one process at a time; a
# link whose process was killed is removed for the next try.
lock_take_over() {
    local won=1 own=$state/owner.$$
    printf '%s\n' "$lock_line" >"$own" || return 1
    if ! ln "$own" "$lock.successor" 2>/dev/null; then
        rm -f "$own"
        lock_held "$stamp_s" "$lock.successor" || rm -f "$lock.successor"
        return 1
    fi
    # A lock that its owner has just let go of is not taken over: the next try makes one.
    if ! lock_held "$stamp_s" && [[ -n $lock_pid || -e $lock ]]; then
        mv -f "$own" "$lock" && won=0
    fi
    rm -f "$own" "$lock.successor"
    return "$won"
}

# Shows a sign of life. False if the lock is another's now: then this process must stop.
lock_refresh() {
    local owner=''
    [[ -r $lock ]] && read -r owner _ <"$lock"
    [[ $owner == "$$" ]] || return 1
    lock_now && printf '%s\n' "$lock_line" >"$lock"
}

lock_release() {
    local owner=''
    [[ -r $lock ]] && read -r owner _ <"$lock"
    [[ $owner == "$$" ]] && rm -f "$lock"
}
