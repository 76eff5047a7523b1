#!/usr/bin/env bash
# Removes the monitor's hooks from Claude Code's settings, its tools, and the machine's agent if install.sh installed it.

set -u
umask 077
unset -v CDPATH
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
. "$here/lib/environment.sh" && environment_forget here agent_variables "${agent_variables[@]}" || exit 1
. "$here/lib/common.sh"
. "$here/lib/setup.sh"
. "$here/lib/agent.sh"
. "$here/lib/mcp.sh"

usage() {
    cat <<'TEXT'
usage: uninstall.sh [--scope user|project] [--purge]

  --scope SCOPE   where install.sh registered the hooks: user (default), which includes the agent and the tools, or project, the one in this
                  directory
  --purge         also delete the configuration with the key, the approvals file, the copied scripts, the spool with its unsent
                  events, the agent's audit and sessions, and the backups of the settings that install.sh and this script made
TEXT
}

parse_options() {
    scope=user purge=no
    while (($# > 0)); do
        case $1 in
            --scope)
                (($# > 1)) || die 1 "--scope needs a value"
                scope=$2
                shift
                ;;
            --purge) purge=yes ;;
            -h | --help) usage && exit 0 ;;
            *) usage >&2 && die 1 "unknown option $1" ;;
        esac
        shift
    done
}

remove_hooks() {
    record_load
    [[ -e $settings ]] || {
        say "there is no $settings"
        return 0
    }
    if ! settings_edit remove '' ''; then
        say "$settings has no hooks of the monitor"
        return 0
    fi
    settings_commit
    if [[ " $made " == *" file "* ]] && [[ $(cat "$settings_file") == '{}' ]]; then
        rm -f "$settings_file"
        say "hooks removed; $settings contained nothing else and was deleted"
    else
        say "hooks removed from $settings"
    fi
    # shellcheck disable=SC2119
    record_save || warn "$record cannot be written"
}

forget_scope() {
    [[ $scope == user && -r $conf_file ]] || return 0
    grep -v -e '^scope=' -e '^agent=' "$conf_file" >"$work/config"
    cmp -s "$work/config" "$conf_file" || replace_file "$conf_file" "$work/config"
}

# Stops the flusher and watch.sh, by the pids in their locks, and deletes all files of install.sh and the hooks.
purge_all() {
    local path words
    if [[ -r $record ]]; then
        while IFS=$'\t' read -r path words; do warn "hooks remain in $path"; done <"$record"
    fi
    if [[ -r $state/backups ]]; then
        while IFS= read -r path; do
            case $path in *.bak-[0-9]*) [[ -f $path ]] && rm -f "$path" ;; esac
        done <"$state/backups"
    fi
    lock_held "$(date +%s)" && kill "$lock_pid"
    lock_held "$(date +%s)" "$state/watch.lock" && kill "$lock_pid"
    find "$spool" "$state/rejected" -type f \( -name '*.ev' -o -name '*.ok' -o -name '*.json' \) \
        -exec rm -f {} + 2>/dev/null
    rm -rf "$state"/{elsewhere,held-prompts,posters,session-numbers,sent-transcripts} "$installed"
    rm -f "$state"/{installs,backups,dropped,dropped.new,last_error,last_error.new,retry_at,tick,stream,stream.new,watch.lock} \
        "$state"/{answer,batch,heartbeat,transcript}.* "$lock" "$lock".successor "$state"/watch.lock.successor
    # CLAUDE_MONITOR_CONFIG may name any file.
    if grep -q '^key=cmk_' "$conf_file" 2>/dev/null; then rm -f "$conf_file"; fi
    rm -f "${conf_file%/*}"/{approvals,agent,agent.env,agent.pub}
    rm -rf "$state_root/agent"
    rmdir "$spool" "$state/rejected" "$state" "${installed%/*}" "${conf_file%/*}" 2>/dev/null
    say "configuration, scripts and spool deleted"
}

main() {
    parse_options "$@"
    setup_places
    agent_places
    remove_hooks
    [[ $scope == project ]] || { mcp_remove; agent_remove; }
    if [[ $purge == yes ]]; then
        purge_all
        return
    fi
    forget_scope || warn "$conf_file cannot be written"
    local left=("$spool"/*.ok)
    if [[ -e ${left[0]} ]]; then
        say "${#left[@]} unsent events stay in $spool; the next hook sends them, --purge deletes them"
    fi
}

# The braces make bash read the whole script before the script deletes itself.
{
    main "$@"
    exit 0
}
