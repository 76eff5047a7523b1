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

# Replaces a dead owner's lock. The file `.successor` holds this process's pid and admits one process at a time. It becomes
# the lock. One that a killed process left is removed for the next try.
lock_take_over() {
    local successor=$lock.successor
    if ! (set -C && printf '%s\n' "$lock_line" >"$successor") 2>/dev/null; then
        # Empty for an instant while it is written.
        if [[ -s $successor ]]; then
            lock_held "$stamp_s" "$successor" || rm -f "$successor"
        else
            find "$successor" -prune -mmin +1 -exec rm -f {} \; 2>/dev/null
        fi
        return 1
    fi
    # A lock that its owner has just let go of is not taken over: the next try makes one.
    if ! lock_held "$stamp_s" && [[ -n $lock_pid || -e $lock ]]; then
        mv -f "$successor" "$lock" && return 0
    fi
    rm -f "$successor"
    return 1
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
