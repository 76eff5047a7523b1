internal import JSON

extension AgentCommand {
    /// Whether the result is kept for a day.
    var isKept: Bool {
        switch body {
        case .context, .commands, .discover, .listTools, .listModels, .keys, .resize: false
        case .chat, .continueChat, .endChat, .follow, .unfollow, .limitTools: false
        // A call is made once. Only its result is told again.
        case .askTool, .runTool, .toolResult, .withdrawTool: false
        case .workspace(let command): command.isKept
        default: true
        }
    }

    /// For the audit. No text that a person wrote.
    var recorded: [(String, JSONValue)] {
        var fields: [(String, JSONValue)] = [
            ("command_id", .string(id)), ("method", .string(method)), ("by", by.json),
        ]
        if !sessionID.isEmpty { fields.append(("session_id", .string(sessionID))) }
        switch body {
        case .discover(let search):
            fields.append(("paths", .array((search.paths ?? []).map { .string(String($0.prefix(1024))) })))
        case .listTools(let request): fields.append(("path", .string(String(request.directory.prefix(1024)))))
        case .newProject(let project): fields.append(("directory", .string(project.slug)))
        case .workspace(let command): fields += command.recorded
        case .start(let start):
            fields += [("directory", .string(start.directory)), ("mode", .string(start.mode))]
            if start.isRestricted { fields.append(("restricted", .bool(true))) }
            if start.terminal != nil { fields.append(("terminal", .bool(true))) }
            if let resume = start.resume { fields.append(("resume", .string(resume))) }
        case .send(let message):
            fields.append(("message_id", .string(message.id)))
            if message.isCommand { fields.append(("as", .string("command"))) }
            if !message.images.isEmpty { fields.append(("images", .integer(Int64(message.images.count)))) }
        case .cancel(let message): fields.append(("message_id", .string(message)))
        case .set(let mode, let model, _):
            if let mode { fields.append(("mode", .string(mode))) }
            if let model { fields.append(("model", model)) }
        case .answer(let hold, let output):
            fields.append(("hold_id", .string(hold)))
            let word = output["decision"]?["behavior"]?.string ?? output["action"]?.string ?? ""
            fields.append(("answer", .string(String(word.prefix(16)))))
        case .keys(let bytes): fields.append(("bytes", .integer(Int64(bytes.count))))
        case .interrupt(let cancelQueued): if cancelQueued { fields.append(("cancel_queued", .bool(true))) }
        case .rewind(let rewind):
            fields += [
                ("message_id", .string(rewind.message)), ("files", .bool(rewind.files)),
                ("conversation", .bool(rewind.conversation)), ("dry_run", .bool(rewind.isDryRun)),
            ]
        case .chat(let chat): if let model = chat.model { fields.append(("model", .string(model))) }
        case .follow(let message): fields.append(("message_id", .string(message)))
        case .limitTools(let limits): fields += limits.recorded
        case .askTool(let call): fields += call.recorded
        case .runTool(let call), .toolResult(let call), .withdrawTool(let call):
            fields.append(("call_id", .string(call.call)))
        case .stop, .context, .commands, .listModels, .resize, .continueChat, .endChat, .unfollow: break
        }
        return fields
    }
}
