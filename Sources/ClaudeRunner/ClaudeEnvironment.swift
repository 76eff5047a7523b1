/// The environment of a client, from that of the agent.
package enum ClaudeEnvironment {
    /// Names that pass. A name that ends with `*` stands for all that begin so.
    static let allowed = [
        "HOME", "PATH", "LANG", "LC_*", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "SSH_AUTH_SOCK",
        // The client and its providers.
        "ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
        "CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "AWS_*", "CLOUD_ML_REGION", "VERTEX_REGION_*",
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CONFIG", "AZURE_*",
        // Proxies and certificates.
        "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
        "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
    ]

    /// Names that never pass. They describe the session in which the agent itself was started, or change how the
    /// client keeps its conversations.
    static let removed: Set<String> = [
        "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_EXECPATH", "CLAUDE_EFFORT", "CLAUDE_PROJECT_DIR",
        "CLAUDE_CODE_SKIP_PROMPT_HISTORY", "CLAUDE_CODE_RESUME_INTERRUPTED_TURN",
    ]

    /// - Parameters:
    ///   - own: the agent's environment, each as `NAME=value`.
    ///   - names: further names that pass, from the machine's file.
    package static func ofChild(from own: [String], adding names: Set<String> = []) -> [String] {
        let prefixes = allowed.filter { $0.hasSuffix("*") }.map { $0.dropLast() }
        let exact = Set(allowed).union(names)
        var seen: Set<Substring> = []
        return own.filter { entry in
            guard let end = entry.firstIndex(of: "="), end != entry.startIndex else { return false }
            let name = entry[..<end]
            guard !removed.contains(String(name)), !isMarker(name) else { return false }
            guard exact.contains(String(name)) || prefixes.contains(where: name.hasPrefix) else { return false }
            return seen.insert(name).inserted
        }
    }

    /// Whether the variable, as `NAME=value`, describes a session that is not the one to be started.
    package static func isOfSession(_ entry: String) -> Bool {
        let name = entry.prefix { $0 != "=" }
        return removed.contains(String(name)) || isMarker(name)
    }

    /// The environment of a client without a terminal. `CLAUDE_MONITOR_RUNNER` tells the hooks that this agent asks
    /// and answers for the session; the other variable leaves `@path` in a message as text, because the client would
    /// read any file without asking. The last one keeps the state of files before they are edited, for rewinding.
    package static func marked(_ environment: [String], sessionID: String) -> [String] {
        environment.filter { entry in !isMarker(entry.prefix { $0 != "=" }) }
            + [
                "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1", "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1",
                marker(sessionID: sessionID),
            ]
    }

    /// The environment of a client in a terminal. Its hooks ask and answer, as those of any terminal.
    static func ofTerminal(_ environment: [String]) -> [String] {
        environment.filter { entry in
            let name = entry.prefix { $0 != "=" }
            return !isMarker(name) && name != "TERM" && name != "COLORTERM"
        } + ["TERM=xterm-256color", "COLORTERM=truecolor"]
    }

    static func marker(sessionID: String) -> String { "CLAUDE_MONITOR_RUNNER=\(sessionID)" }

    private static func isMarker(_ name: Substring) -> Bool {
        name == "CLAUDE_CODE_DISABLE_FILE_MENTIONS" || name == "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"
            || name == "CLAUDE_MONITOR_RUNNER"
    }
}
