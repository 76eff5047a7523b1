# Adds Claude Code's telemetry settings to a settings file, or removes them. Runs with settings.awk.
#
# The telemetry settings are ours if otelHeadersHelper is ours. Other telemetry settings are not changed, and none are added to
# them.

# Reads the wanted settings, and finds out whether the file's telemetry settings are ours.
function telemetry_look(    i, n, lines, at, helper, env) {
    n = split(ENVIRON["TELEMETRY"], lines, "\n")
    wanted_count = 0
    for (i = 1; i <= n; i++) {
        at = index(lines[i], "=")
        if (!at) continue
        wanted_name[++wanted_count] = substr(lines[i], 1, at - 1)
        wanted_value[wanted_count] = substr(lines[i], at + 1)
    }
    helper = member(1, "otelHeadersHelper")
    telemetry_ours = helper && kind[helper] == "s" && index(value[helper], ENVIRON["HELPER_MARK"])
    telemetry_others = !telemetry_ours && helper
    env = member(1, "env")
    if (!telemetry_ours && env && kind[env] == "{")
        for (i = 1; i <= kids[env]; i++) if (is_telemetry(name[kid[env, i]])) telemetry_others = 1
    if (env && kind[env] != "{") telemetry_others = 1
    if (telemetry_others && wanted_count && ENVIRON["TOLD"] != "") print "telemetry" > ENVIRON["TOLD"]
    if (telemetry_others) wanted_count = 0
}

function is_telemetry(key) { return key == "CLAUDE_CODE_ENABLE_TELEMETRY" || key ~ /^OTEL_/ }

# True for the names that install.sh sets. Other names with OTEL_ are the user's.
function is_set_by_us(key) {
    return key == "CLAUDE_CODE_ENABLE_TELEMETRY" || key == "OTEL_METRICS_EXPORTER" || key == "OTEL_LOGS_EXPORTER" || \
        key == "OTEL_EXPORTER_OTLP_PROTOCOL" || key == "OTEL_EXPORTER_OTLP_ENDPOINT" || key == "OTEL_EXPORTER_OTLP_CERTIFICATE"
}

# True if the file contains the wanted settings, and no other settings of ours.
function telemetry_installed(    i, env, node, own) {
    if (!wanted_count) return !telemetry_ours
    if (!telemetry_ours || value[member(1, "otelHeadersHelper")] != ENVIRON["HELPER"]) return 0
    env = member(1, "env")
    if (!env) return 0
    own = 0
    for (i = 1; i <= kids[env]; i++) if (is_set_by_us(name[kid[env, i]])) own++
    for (i = 1; i <= wanted_count; i++) {
        node = member(env, wanted_name[i])
        if (!node || value[node] != wanted_value[i]) return 0
    }
    return own == wanted_count
}

# Removes one of our settings, the helper last. False if there is none.
function telemetry_remove_one(    env, i) {
    if (!telemetry_ours) return 0
    env = member(1, "env")
    if (env && kind[env] == "{") {
        for (i = 1; i <= kids[env]; i++) {
            if (!is_set_by_us(name[kid[env, i]])) continue
            cut(kids[env] == 1 && is_made("env") ? env : kid[env, i])
            return 1
        }
    }
    telemetry_ours = 0
    cut(member(1, "otelHeadersHelper"))
    return 1
}

function telemetry_add(    i, env, out) {
    if (!wanted_count) return
    env = member(1, "env")
    if (!env) {
        made_now = made_now " env"
        style(1)
        out = "\"env\": {" nl step
        for (i = 1; i <= wanted_count; i++) out = out (i > 1 ? "," gap nl step : "") telemetry_pair(i)
        append(1, out nl "}")
        reparse()
    } else {
        for (i = 1; i <= wanted_count; i++) {
            style(env)
            append(env, telemetry_pair(i))
            reparse()
            env = member(1, "env")
        }
    }
    style(1)
    append(1, "\"otelHeadersHelper\": \"" in_json(ENVIRON["HELPER"]) "\"")
    reparse()
}

function telemetry_pair(i) { return "\"" wanted_name[i] "\": \"" in_json(wanted_value[i]) "\"" }
