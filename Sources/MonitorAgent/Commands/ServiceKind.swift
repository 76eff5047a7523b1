/// The managers of a user's services for which the agent has a file.
enum ServiceKind: String, Sendable, CaseIterable {
    case systemd, launchd

    func text(program: String, certificates: String?) -> String {
        switch self {
        case .systemd: InstallPlan.unit(program: program, certificates: certificates)
        case .launchd: LaunchdPlist.text(program: program, certificates: certificates)
        }
    }
}

/// The agent as a service of macOS, as launchd.plist(5) describes it. Not tested on macOS.
enum LaunchdPlist {
    private static let label = "claude-monitor-agent"

    /// The sessions outlive the agent: `AbandonProcessGroup` leaves the other processes of its group alone.
    static func text(program: String, certificates: String?) -> String {
        let words = [program, "run"] + (certificates.map { ["--ca-file", $0] } ?? [])
        let arguments = words.map { "        <string>\(escaped($0))</string>\n" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(label)</string>
                <key>ProgramArguments</key>
                <array>
            \(arguments)    </array>
                <key>RunAtLoad</key>
                <true/>
                <key>KeepAlive</key>
                <true/>
                <key>ThrottleInterval</key>
                <integer>10</integer>
                <key>AbandonProcessGroup</key>
                <true/>
                <key>Umask</key>
                <integer>63</integer>
            </dict>
            </plist>

            """
    }

    /// The text of an XML element.
    static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }
        .joined()
    }
}
