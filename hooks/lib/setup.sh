# shellcheck shell=bash
# Functions of install.sh, uninstall.sh and import.sh. Expects common.sh.

# Prints the arguments with ? in place of control characters, because a file name could otherwise control the terminal.
shown() {
    local LC_ALL=C text=${*//[[:cntrl:]]/?}
    # The UTF-8 bytes of U+0080 to U+009F and of the characters that change the direction of text.
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

# Sets the paths of an installation: installed (the copies of the scripts), settings (the file to edit), record (what install.sh
# added to settings files) and work (a temporary directory).
setup_places() {
    monitor_places
    installed=${XDG_DATA_HOME:-$HOME/.local/share}/claude-monitor/hooks
    record=$state/installs
    case $scope in
        user) settings=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json ;;
        project) settings=$PWD/.claude/settings.json ;;
        *) die 1 "--scope must be user or project" ;;
    esac
    work=$(mktemp -d "${TMPDIR:-/tmp}/claude-monitor.XXXXXX") || die 1 "no temporary directory can be created"
    trap 'rm -rf "$work"' EXIT
}

# REPLY = $1 quoted for a shell.
shell_quote() {
    REPLY=\'${1//\'/\'\\\'\'}\'
}

# REPLY = the target of $1 after all symbolic links.
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

# made = the JSON objects and lists that install.sh added to this settings file, or - if there is no record of it.
record_load() {
    local path words
    made=-
    [[ -r $record ]] || return 0
    while IFS=$'\t' read -r path words; do
        [[ $path == "$settings" ]] && made=$words
    done <"$record"
}

# Replaces the record of this settings file with $1. Without an argument, removes it.
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

# Edits a copy of the settings: $work/old becomes $work/new. Returns 0 if changed, 3 if unchanged; exits if the file cannot be
# read. The arguments are MODE, WANT, CALL, TELEMETRY and HELPER of settings.awk.
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

# Replaces the settings with $work/new in one step, after a backup. Keeps mode, owner and links.
settings_commit() {
    local backup
    if [[ -e $settings_file ]]; then
        cmp -s "$settings_file" "$work/old" || die 1 "$settings was changed meanwhile; run this again"
        backup=$settings_file.bak-$(date -u '+%Y%m%dT%H%M%SZ')
        [[ -e $backup ]] && backup=$backup-$$
        cp -p "$settings_file" "$backup" || die 1 "$settings cannot be backed up; nothing was changed"
        say "backup: $backup"
        case $backup in *$'\n'*) ;; *) mkdir -p "$state" && printf '%s\n' "$backup" >>"$state/backups" ;; esac
    else
        mkdir -p "${settings_file%/*}" || die 1 "${settings_file%/*} cannot be created"
    fi
    replace_file "$settings_file" "$work/new" || die 1 "$settings cannot be written"
}

# Replaces the content of $1 with that of $2 in one step. An existing file keeps its mode.
replace_file() {
    local next=$1.new.$$
    if { [[ ! -e $1 ]] || cp -p "$1" "$next"; } && cat "$2" >"$next" && mv -f "$next" "$1"; then return 0; fi
    rm -f "$next"
    return 1
}
