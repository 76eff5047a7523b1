# shellcheck shell=bash
# The flusher's lock: a file with the owner's pid and the time of its last refresh. Expects common.sh and stamp.sh.

lock_now() {
    stamp_now || return 1
    lock_line="$$ $stamp_s"
}

# Acquires the lock, or takes it over from a dead owner. False if another live process holds it.
lock_acquire() {
    local try
    for try in 1 2 3; do
        lock_now || return 1
        if (set -C && printf '%s\n' "$lock_line" >"$lock") 2>/dev/null; then return 0; fi
        lock_held "$stamp_s" && return 1
        # The file is empty for a moment before its owner writes to it.
        sleep 0.2
        lock_held "$stamp_s" && return 1
        lock_take_over && return 0
    done
    return 1
}

# Replaces the lock of a dead owner. Only the process that creates the file `.successor` may do so; the file then becomes the
# lock. A `.successor` that a killed process left is removed for the next try.
lock_take_over() {
    local successor=$lock.successor
    if ! (set -C && printf '%s\n' "$lock_line" >"$successor") 2>/dev/null; then
        # The file is empty for a moment before it is written.
        if [[ -s $successor ]]; then
            lock_held "$stamp_s" "$successor" || rm -f "$successor"
        else
            find "$successor" -prune -mmin +1 -exec rm -f {} \; 2>/dev/null
        fi
        return 1
    fi
    # If the owner has just released the lock, there is nothing to take over: the next try creates a new lock.
    if ! lock_held "$stamp_s" && [[ -n $lock_pid || -e $lock ]]; then
        mv -f "$successor" "$lock" && return 0
    fi
    rm -f "$successor"
    return 1
}

# Refreshes the lock. False if another process owns it now; this process must then stop. The line is
# overwritten in place: old and new have the same length. An empty file would let another flusher take over the lock.
lock_refresh() {
    local owner=''
    [[ -r $lock ]] && read -r owner _ <"$lock"
    [[ $owner == "$$" ]] || return 1
    lock_now && printf '%s\n' "$lock_line" 1<>"$lock"
}

lock_release() {
    local owner=''
    [[ -r $lock ]] && read -r owner _ <"$lock"
    [[ $owner == "$$" ]] && rm -f "$lock"
}
