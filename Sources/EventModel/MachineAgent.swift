/// The agent of a machine: the program that starts and drives Claude Code there.
package struct MachineAgent: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case online
        /// It has been connected before.
        case offline
        case none
    }

    /// A Claude Code that the agent has found.
    package struct Client: Sendable, Equatable {
        package var version: String
        package var path: String

        package init(version: String, path: String) {
            (self.version, self.path) = (version, path)
        }
    }

    /// What the machine's own file allows. The agent checks each command against the file; this copy only says early,
    /// and with words, what would be refused.
    package struct Permissions: Sendable, Equatable {
        package var control = false
        package var files = "off"
        package var git = "off"
        /// Sessions may run in terminals.
        package var pty = false
        package var modes: [String] = []
        package var roots: [String] = []
        /// The number of sessions that the agent runs at most.
        package var sessions = 0

        /// The number of chats that the agent answers at a time; 0 if the machine allows none.
        package var chats = 0
        /// The agent makes directories for new projects.
        package var makesProjects = false

        package init() {}
    }

    package var state: State
    package var version: String?
    package var platform: String?
    /// A newer version that this server has for the platform.
    package var update: String?
    /// When it connected last.
    package var since: Timestamp?
    package var clients: [Client] = []
    /// `nil` unless it is online.
    package var may: Permissions?

    package init(_ state: State, version: String? = nil, platform: String? = nil, since: Timestamp? = nil) {
        (self.state, self.version, self.platform, self.since) = (state, version, platform, since)
    }
}
