# shellcheck shell=bash
# Sets the state directory for a server or a key that is not the machine's own. Each combination of address, key and certificate
# has its own spool, so the environment of one session cannot send the events of other sessions to another server.
state_elsewhere() {
    local name=${conf_url//[!A-Za-z0-9]/_} secret=$conf_key$conf_ca sum=0 index code
    for ((index = 0; index < ${#secret}; index++)); do
        printf -v code %d "'${secret:index:1}"
        sum=$(((sum * 1000003 + (code & 255)) & 0xFFFFFFFFFFFF))
    done
    printf -v sum %012x "$sum"
    state_at "$state_root/elsewhere/${name:0:100}-$sum"
}
state_elsewhere
