internal import HTTPModel
internal import Host
internal import Machines
internal import Workers

extension Services {
    /// The built agents, which are stored with the program's other files: for each platform the program,
    /// `agent/PLATFORM/monitor-agent`, and its description, `agent/PLATFORM/release`.
    static var agentReleases: AgentReleases {
        AgentReleases(
            AgentRelease.platforms.compactMap { platform in
                guard let description = InstalledFiles.find("agent/\(platform)/release"),
                    let program = InstalledFiles.find("agent/\(platform)/monitor-agent"),
                    let text = InstalledFiles.contents(description, atMost: 4096)
                else { return nil }
                return AgentRelease(platform: platform, description: text, program: pieces(of: program))
            }
        )
    }

    /// Sends a file. It is opened for each answer, so that nothing of it stays in memory.
    private static func pieces(of path: String) -> BodyStream {
        { writer in
            guard let file = FileReader(path) else { throw StreamEnded() }
            while true {
                guard let piece = await runBlocking({ file.next() }) else { throw StreamEnded() }
                if piece.isEmpty { return }
                try await writer.write(piece)
            }
        }
    }
}
