/// The machine's file `agent`: what the agent may do on this machine, whatever the server says.
///
/// The grammar is that of the approvals file. `roots=PATH` names a directory below which the agent may work; the words
/// `control modes files git secrets pty` beside it hold for that root alone, every other word for the machine. Without
/// a valid file that only its owner can write, everything is off.
package struct AgentFile: Sendable, Equatable {
    package enum Files: String, Sendable, CaseIterable { case off, read }

    package enum Git: String, Sendable, CaseIterable, Comparable {
        case off, read, write, push, force

        package static func < (one: Git, other: Git) -> Bool { one.rank < other.rank }
        private var rank: Int { Git.allCases.firstIndex(of: self) ?? 0 }
    }

    package enum Tools: String, Sendable, CaseIterable {
        case off
        /// A person is asked before each call.
        case ask
    }

    /// What is allowed at a place.
    package struct Allowance: Sendable, Equatable {
        /// Starting, steering and stopping sessions.
        package var control = false
        package var modes = ["default", "plan", "acceptEdits"]
        package var files = Files.off
        package var git = Git.off
        package var showsSecrets = false
        package var pty = false

        package init() {}

        package static let nothing = {
            var nothing = Allowance()
            nothing.modes = []
            return nothing
        }()
    }

    package struct Root: Sendable, Equatable {
        /// As written, with the home directory in place of `~`.
        package var path: String
        package var allowance: Allowance
    }

    /// Why the file allows nothing; `nil` if it is valid.
    package internal(set) var flaw: FileFlaw?
    package internal(set) var isAbsent = false
    /// What the machine allows where no root says otherwise.
    package internal(set) var machine = Allowance.nothing
    package internal(set) var roots: [Root] = []
    /// Directories whose contents the owner trusts, as written.
    package internal(set) var trusted: [String] = []
    /// The maximum number of running sessions.
    package internal(set) var sessions = 8
    /// Whether programs may have the model answer, without tools and files.
    package internal(set) var chat = false
    /// The maximum number of chats that wait for the model.
    package internal(set) var chats = 4
    /// US dollars that chats may cost in a day, which begins at midnight UTC. `nil` means any sum.
    package internal(set) var chatBudget: Double?
    /// Whether programs and devices may run tools of MCP servers.
    package internal(set) var tools = Tools.off
    /// The maximum number of directories that are watched. Beyond it, files are looked at again and again.
    package internal(set) var watches = 20_000
    package internal(set) var claude: String?
    /// The path, as written in the file, of the directory in which the agent makes the directories of new projects.
    /// If it is `nil`, the agent makes none.
    package internal(set) var newProjects: String?
    /// Names of variables that sessions get besides those that they always get.
    package internal(set) var environment: [String] = []
    /// Seconds after which an idle session's process ends; `nil` means never.
    package internal(set) var idleStop: Int? = 1800
    package internal(set) var proxy: String?
    /// Whether the connection may be without TLS beyond loopback.
    package internal(set) var allowsPlaintext = false

    private init() {}

    /// No file.
    package static let absent = {
        var file = AgentFile()
        file.isAbsent = true
        return file
    }()

    package static func faulty(_ reason: String) -> AgentFile {
        var file = AgentFile()
        file.flaw = FileFlaw(reason)
        return file
    }

    /// - Parameter home: the person's home directory, for `~`.
    package init(_ text: [UInt8], home: String) {
        do throws(FileFlaw) {
            guard text.count <= 64 << 10 else { throw FileFlaw("it has more than 64 KiB") }
            guard let text = String(validating: text, as: UTF8.self), !text.utf8.contains(0) else {
                throw FileFlaw("it is not text")
            }
            let lines = try RuleLine.lines(of: Array(text.utf8), isValid: AgentFileWords.isValid)
            self = try AgentFileWords.read(lines, home: home)
        } catch {
            flaw = error
        }
    }

    static func empty() -> AgentFile {
        var file = AgentFile()
        file.machine = Allowance()
        return file
    }

    package var isUsable: Bool { flaw == nil && !isAbsent }
}
