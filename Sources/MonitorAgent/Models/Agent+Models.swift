internal import ClaudeRunner
internal import JSON
internal import MachinePolicy

/// Lists the models that Claude Code offers on this machine.
extension Agent {
    /// Says which models there are. A client is started for it once for each version, and once an hour.
    func listModels() async throws -> JSONValue {
        let file = check().file
        try file.requireUsable()
        guard file.chat || file.roots.contains(where: \.allowance.control) else {
            throw CommandRefusal(.notAllowed, "The machine's file agent says control=off and chat=off.")
        }
        let program = try program(file)
        guard let client = await InstalledClient.find(file, environment), client.path == program else {
            throw CommandRefusal(.failed, "Claude Code does not tell its version.")
        }
        if let offered, offered.counts(for: client, at: now) { return offered.json }
        let answer = try await askHost(
            in: SmallFile.realPath(places.chatRoom) ?? places.chatRoom,
            program: program,
            environment: childEnvironment(file),
            isRestricted: true
        ) { try? await $0.request(.models) }
        guard let told = answer.flatMap({ OfferedModels($0, of: client, at: now) }) else {
            throw CommandRefusal(.failed, "Claude Code does not tell its models.")
        }
        offered = told
        return told.json
    }
}
