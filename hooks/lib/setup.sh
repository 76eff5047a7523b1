# shellcheck shell=bash
# What install.sh and uninstall.sh share. Expects common.sh.

# Prints the arguments without control characters, because the name of a file may control a terminal.
shown() {
    local LC_ALL=C text=${*//[[:cntrl:]]/?}
    # The bytes of U+0080 to U+009F and of the marks of text direction, in UTF-8.
    text=${text//$'\302'[$'\200'-$'\237']/?}
    text=${text//$'\342\200'[$'\216'$'\217'$'\250'-$'\256']/?}
    text=${text//$'\342\201'[$'\246'-$'\251']/?}
    printf '%s\n' "${text//$'\330\234'/?}"
}
say() { shown "$*"; }
warn() { shown "warning: $*" >&2; }
die() {
    shown "${0##*/}: $2" >&2
    exit "$1"
}

# Sets the places of an installation: installed (the scripts' copies), settings (the file to edit), record and work.
setup_places() {
    monitor_places
    installed=${XDG_DATA_HOME:-$HOME/.local/share}/claude-monitor/hooks
    record=$state/installs
    case $scope in
        user) settings=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json ;;
        project) settings=$PWD/.claude/settings.json ;;
        *) die 1 "--scope is user or project" ;;
    esac
    work=$(mktemp -d "${TMPDIR:-/tmp}/claude-monitor.XXXXXX") || die 1 "no temporary directory"
    trap 'rm -rf "$work"' EXIT
}

# REPLY = $1 quoted for a shell.
shell_quote() {
    REPLY=\'${1//\'/\'\\\'\'}\'
}

# REPLY = the file that $1 finally points at.
follow_links() {
    local target hops=0
    REPLY=$1
    while [[ -L $REPLY ]] && ((hops++ < 40)); do
        target=$(readlink "$REPLY")
        case $target in
            /*) REPLY=$target ;;
            *) REPLY=${REPLY%/*}/$target ;;
        esac
    done
}

# made = the containers that an earlier install made in this settings file, or - if there is no record of one.
record_load() {
    local path words
    made=-
    [[ -r $record ]] || return 0
    while IFS=$'\t' read -r path words; do
        [[ $path == "$settings" ]] && made=$words
    done <"$record"
}

# Replaces this settings file's record by $1; without an argument forgets it.
record_save() {
    local path words
    mkdir -p "$state" && : >"$work/record" || return 1
    if [[ -r $record ]]; then
        while IFS=$'\t' read -r path words; do
            [[ $path == "$settings" ]] || printf '%s\t%s\n' "$path" "$words"
        done <"$record" >"$work/record"
    fi
    (($# > 0)) && printf '%s\t%s\n' "$settings" "$1" >>"$work/record"
    replace_file "$record" "$work/record"
}

# Edits a copy of the settings: $work/old becomes $work/new. Returns 0 changed, 3 unchanged; dies on a file it cannot
# read. The arguments are settings.awk's MODE, WANT, CALL, TELEMETRY and HELPER.
settings_edit() {
    local code
    follow_links "$settings"
    settings_file=$REPLY
    : >"$work/old"
    if [[ -e $settings_file ]]; then
        cat "$settings_file" >"$work/old" || die 1 "$settings cannot be read; nothing was changed"
    fi
    {
        cat "$work/old"
        printf x
    } | LC_ALL=C MODE=$1 WANT=$2 CALL=$3 TELEMETRY=${4:-} HELPER=${5:-} MADE=$made MADE_OUT=$work/made TOLD=$work/told \
        MARK=/claude-monitor/hooks/session-monitor.sh HELPER_MARK=/claude-monitor/hooks/otel-headers.sh \
        awk -f "$here/lib/json.awk" -f "$here/lib/settings.awk" -f "$here/lib/telemetry.awk" >"$work/new" 2>"$work/why"
    code=$?
    case $code in
        0 | 3) return "$code" ;;
        *) die 1 "$settings is not valid: $(cat "$work/why"); nothing was changed" ;;
    esac
}

# Puts $work/new in place of the settings: backup, mode, owner and links kept, in one step.
settings_commit() {
    local backup
    if [[ -e $settings_file ]]; then
        cmp -s "$settings_file" "$work/old" || die 1 "$settings was changed meanwhile; run this again"
        backup=$settings_file.bak-$(date -u '+%Y%m%dT%H%M%SZ')
        [[ -e $backup ]] && backup=$backup-$$
        cp -p "$settings_file" "$backup" || die 1 "no backup of $settings could be made; nothing was changed"
        say "backup: $backup"
        case $backup in *$'\n'*) ;; *) mkdir -p "$state" && printf '%s\n' "$backup" >>"$state/backups" ;; esac
    else
        mkdir -p "${settings_file%/*}" || die 1 "${settings_file%/*} cannot be made"
    fi
    replace_file "$settings_file" "$work/new" || die 1 "$settings cannot be written"
}

# $1 gets the content of $2 in one step; an existing file's mode stays.
replace_file() {
    local next=$1.new.$$
    if { [[ ! -e $1 ]] || cp -p "$1" "$next"; } && cat "$2" >"$next" && mv -f "$next" "$1"; then return 0; fi
    rm -f "$next"
    return 1
}
