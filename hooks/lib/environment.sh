# shellcheck shell=bash
# Keeps the environment of a session away from the programs that the scripts run. The files of a folder can set that environment,
# and many variables change what a program does. For example, curl takes proxies, certificate files and the name of a file for its
# TLS session keys from it.

# Unsets every variable except those that the scripts read, those of the shell itself, and those that the arguments name. Call it
# before the first assignment. It takes about 2 ms, so the hook that Claude Code waits for does not call it (see the beginning of
# common.sh).
#
# Keeps PATH and the variables of the dynamic linker, because they have already determined which program runs this script.
environment_forget() {
    local name kept=" $* name kept _ "
    for name in "${!A@}" "${!B@}" "${!C@}" "${!D@}" "${!E@}" "${!F@}" "${!G@}" "${!H@}" "${!I@}" "${!J@}" "${!K@}" "${!L@}" \
        "${!M@}" "${!N@}" "${!O@}" "${!P@}" "${!Q@}" "${!R@}" "${!S@}" "${!T@}" "${!U@}" "${!V@}" "${!W@}" "${!X@}" "${!Y@}" \
        "${!Z@}" "${!_@}" "${!a@}" "${!b@}" "${!c@}" "${!d@}" "${!e@}" "${!f@}" "${!g@}" "${!h@}" "${!i@}" "${!j@}" "${!k@}" \
        "${!l@}" "${!m@}" "${!n@}" "${!o@}" "${!p@}" "${!q@}" "${!r@}" "${!s@}" "${!t@}" "${!u@}" "${!v@}" "${!w@}" "${!x@}" \
        "${!y@}" "${!z@}"; do
        case $name in
            PATH | LD_* | DYLD_* | HOME | TMPDIR | HOSTNAME | LC_ALL | XDG_CONFIG_HOME | XDG_DATA_HOME | XDG_STATE_HOME | CLAUDE_*) continue ;;
            BASH | BASHPID | BASH_* | BASHOPTS | SHELLOPTS | COMP_WORDBREAKS | DIRSTACK | EUID | UID | PPID | FUNCNAME | GROUPS) continue ;;
            EPOCHREALTIME | EPOCHSECONDS | SECONDS | RANDOM | SRANDOM | HISTCMD | IFS | LINENO | OPTERR | OPTIND | PIPESTATUS) continue ;;
            PWD | OLDPWD | REPLY | HOSTTYPE | MACHTYPE | OSTYPE | SHLVL | PS4) continue ;;
        esac
        [[ $kept == *" $name "* ]] || unset -v "$name"
    done
}

# The variables from which curl or Claude Code takes a proxy.
proxy_variables=(http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY)

# What `monitor-agent install` needs beside HOME and PATH: the person's shell, and the way to their service manager.
agent_variables=(SHELL USER LANG XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS)

# REPLY = the name of the variable with the proxy that curl would use for a request to the address $1, or empty.
environment_proxy() {
    local name names=(http_proxy HTTP_PROXY)
    REPLY=''
    environment_spares "$1" && return
    [[ $1 == https://* ]] && names=(https_proxy HTTPS_PROXY)
    for name in "${names[@]}" all_proxy ALL_PROXY; do
        [[ -n ${!name:-} ]] && REPLY=$name && return
    done
}

# True if no_proxy or NO_PROXY contains exactly the host of the address $1: programs differ in how they read other entries.
environment_spares_exactly() {
    local REPLY
    address_host "$1"
    case ", ${no_proxy:-${NO_PROXY:-}}," in *[\ ,]"$REPLY"[\ ,]*) return 0 ;; *) return 1 ;; esac
}

# REPLY = the host of the address $1, without brackets and port.
address_host() {
    REPLY=${1#*://}
    REPLY=${REPLY%%/*}
    case $REPLY in \[*) REPLY=${REPLY#[} REPLY=${REPLY%%]*} ;; *) REPLY=${REPLY%%:*} ;; esac
}

# True if no_proxy or NO_PROXY contains the host of the address $1, a domain of the host, or `*`.
environment_spares() {
    local host entry entries REPLY
    address_host "$1"
    host=$REPLY
    IFS=', ' read -r -a entries <<<"${no_proxy:-${NO_PROXY:-}}"
    for entry in ${entries[@]+"${entries[@]}"}; do
        [[ $entry == '*' ]] && return 0
        entry=${entry#\*}
        entry=${entry#.}
        [[ -n $entry && ($host == "$entry" || $host == *."$entry") ]] && return 0
    done
    return 1
}
