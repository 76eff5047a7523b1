internal import ClaudeRunner
internal import EventModel
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy

/// The file `status.json`, in which a running agent says what it does. The commands `status` and `sessions` read it.
extension Agent {
    func writeStatus() {
        isStatusStale = false
        var writer = JSONWriter()
        writer.value(status())
        do throws(OwnFile.Fault) {
            try OwnFile.replace(places.status, writer.bytes, isDurable: false)
        } catch {
            logger.error("the status cannot be written", metadata: ["error": "\(error)"])
        }
    }

    private func status() -> JSONValue {
        let file = files.agent()
        var members: [(String, JSONValue)] = [
            ("pid", .integer(Int64(MachineFacts.pid))), ("version", .string(AgentVersion.text)),
            ("at", .string("\(SystemClock.now())")), ("connected", .bool(table.isGreeted)),
            ("server", .string(link.server)), ("node", link.node.map(JSONValue.string) ?? .null),
            ("release", link.release.map(JSONValue.string) ?? .null),
            ("since", link.since.map { .string("\($0)") } ?? .null),
            ("problem", link.problem.map(JSONValue.string) ?? .null), ("may", Agent.may(file)),
            ("file", .string(file.flaw.map { "not valid: \($0)" } ?? (file.isAbsent ? "absent" : "valid"))),
            ("chats_cost_today", .number(chatSpending.spent(at: SystemClock.now()))),
            ("client", client.map { .string("\($0.path) \($0.version)") } ?? .null),
        ]
        let sessions = table.lines.values.sorted { $0.key < $1.key }.map { line in
            let prompts = table.holds.values.filter { $0.key == line.key }.sorted { $0.id < $1.id }.map { hold in
                JSONValue.object([
                    ("hold_id", .string(hold.id)), ("tool", .string(hold.prompt.toolName)),
                    ("known_to_server", .bool(hold.delivery == .known)),
                ])
            }
            return SessionTable.state(line, more: [("prompts", .array(prompts))])
        }
        members.append(("sessions", .array(sessions)))
        return .object(members)
    }
}
