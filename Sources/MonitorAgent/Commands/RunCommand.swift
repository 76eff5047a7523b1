internal import Host
internal import Logging

struct RunCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    func run() async -> ExitStatus {
        do {
            try OwnFile.makeDirectory(places.state)
            try OwnFile.makeDirectory(places.sessions)
            try OwnFile.makeDirectory(places.chats)
            try OwnFile.makeDirectory(places.hosts)
            try OwnFile.makeDirectory(places.chatRoom)
            let lock = try await AgentLock.taken(places.lock)
            let identity = try AgentIdentity.load(places.identity)
            let logger = Logger(label: "monitor-agent") { label in
                LineLogHandler(label: label, level: .info, format: .text)
            }
            let agent = try Agent(
                places: places,
                environment: environment,
                identity: identity,
                options: RunOptions(certificates: arguments.certificates),
                logger: logger
            )
            let signals = ShutdownSignals { _ in Task { await agent.stop() } }
            logger.info("the agent begins", metadata: ["version": "\(AgentVersion.text)"])
            await agent.run()
            withExtendedLifetime((lock, signals)) {}
            return .success
        } catch {
            StandardError.write("monitor-agent: \(error)\n")
            return error is AgentLock.Fault ? .unavailable : .failure
        }
    }
}
