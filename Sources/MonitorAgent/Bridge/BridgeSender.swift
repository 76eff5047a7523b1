internal import Workers

/// Starts the requests to the server, each as a process of curl.
struct BridgeSender: Sendable {
    let access: ServerAccess

    private static let connectSeconds = "10"

    /// Returns `nil` if no process can be started.
    func start(_ request: ServerRequest) -> RunningProcess? {
        var words = access.words + ["--config", "-", "--http1.1", "--include", "--suppress-connect-headers"]
        words += ["--no-buffer", "--connect-timeout", BridgeSender.connectSeconds]
        if request.resumed == nil { words += ["--data-binary", "@/dev/fd/3"] }
        return try? RunningProcess(
            access.program,
            words,
            environment: access.environment,
            secret: Array(configuration(request).utf8),
            attachment: request.body
        )
    }

    /// curl's configuration, which it reads from its standard input: the key is on no command line.
    private func configuration(_ request: ServerRequest) -> String {
        var headers = ["Authorization: Bearer \(access.key)", "Accept: application/json, text/event-stream"]
        // An empty value keeps curl from sending the header.
        headers += ["Content-Type: application/json", "Expect:"] + request.headers
        if let id = request.resumed { headers.append("Last-Event-ID: \(id)") }
        let lines =
            [
                "url = \(BridgeSender.quoted(access.address + "/mcp"))",
                "user-agent = \"monitor-agent/\(AgentVersion.text)\"",
            ]
            + headers.map { "header = \(BridgeSender.quoted($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The values have no line breaks.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\\" || character == "\"" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }
}
