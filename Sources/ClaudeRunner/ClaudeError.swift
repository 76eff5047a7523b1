/// Why a command to a session failed.
package enum ClaudeError: Error, Equatable, CustomStringConvertible {
    /// The client has ended, or this agent has let go of it.
    case notRunning
    /// The message's id is not a UUID, or a value has a form that is not accepted.
    case invalid(String)
    case commandNotAllowed(String)
    case messageTooLong(limit: Int)
    /// The client has not read what waits for it.
    case overloaded
    /// The state file could not be written, so the message was not sent.
    case notSaved
    /// The answer is not one for this kind of prompt.
    case unfitReply
    /// The client refused, in its own words.
    case refused(String)
    /// The client did not call the tool.
    case denied(String)
    case noReply

    package var description: String {
        switch self {
        case .notRunning: "the session does not run"
        case .invalid(let what): "\(what) is not valid"
        case .commandNotAllowed(let name): "the command \(name) is not allowed"
        case .messageTooLong(let limit): "the message is longer than \(limit) bytes"
        case .overloaded: "the client does not read its input"
        case .notSaved: "the state of the session could not be saved"
        case .unfitReply: "the answer does not fit the prompt"
        case .refused(let reason): "the client refused: \(reason)"
        case .denied(let reason): "the client did not call the tool: \(reason)"
        case .noReply: "the client did not answer in time"
        }
    }
}

/// Why no session could be started or taken over.
package enum ClaudeStartError: Error, Equatable, CustomStringConvertible {
    case invalid(String)
    /// The directory is not there, or is not the one that its path names.
    case wrongDirectory(String)
    /// Another process has the session.
    case alreadyRunning(pid: Int32, kind: String)
    case system(String)
    /// The client ended before it was ready.
    case exited(code: Int32?, signal: Int32?, standardError: [UInt8], errors: [String])
    case noReply(standardError: [UInt8])
    /// The client that the state file names has ended.
    case notRunning
    /// The machine was restarted since.
    case machineRestarted
    /// The agent before this one died while it wrote this line. The client was ended: it would take the rest of
    /// another line for the rest of this one. Resume the session and send the message again.
    case inputCut(id: String)
    case unreadableState(String)

    package var description: String {
        switch self {
        case .invalid(let what): "\(what) is not valid"
        case .wrongDirectory(let path): "\(path) is not a directory with this path"
        case .alreadyRunning(let pid, let kind): "process \(pid) (\(kind)) has the session"
        case .system(let what): what
        case .exited(let code, let signal, _, _):
            "the client ended at once (\(code.map { "code \($0)" } ?? signal.map { "signal \($0)" } ?? "unknown"))"
        case .noReply: "the client did not become ready in time"
        case .notRunning: "the client has ended"
        case .machineRestarted: "the machine was restarted"
        case .inputCut: "the client was ended because a line to it was cut"
        case .unreadableState(let path): "\(path) cannot be read"
        }
    }
}
