internal import JSON
internal import Workers

/// A session that a process of this machine has, by the client's own registry.
package struct LiveSession: Sendable, Equatable {
    package var sessionID: String
    package var pid: Int32
    /// `interactive` or `bg`.
    package var kind: String
    /// `cli`, or `sdk-cli` without a terminal.
    package var entrypoint: String?
    package var directory: String?
    /// `idle`, `busy`, `waiting`. Missing until the client has started.
    package var status: String?
    package var waitingFor: String?
    /// Takes messages for the session.
    package var socket: String?
}

/// Reads the registry: one file for each process in `sessions` of the client's configuration directory. The files of
/// killed processes stay.
package enum LiveSessions {
    private static let fileLimit = 64 << 10
    private static let countLimit = 1000

    /// - Parameter configuration: such as `/home/me/.claude`.
    package static func all(configuration: String) -> [LiveSession] {
        let directory = configuration + "/sessions"
        return DirectoryNames.all(in: directory).prefix(countLimit).compactMap { name in
            guard name.hasSuffix(".json"), let pid = Int32(name.dropLast(5)) else { return nil }
            return session(of: pid, configuration: configuration)
        }
    }

    /// The session that the process has.
    package static func session(of pid: Int32, configuration: String) -> LiveSession? {
        guard let bytes = SessionFiles.tail("\(configuration)/sessions/\(pid).json", limit: fileLimit),
            let value = try? JSONValue.parse(bytes)
        else { return nil }
        return session(value, pid: pid)
    }

    /// The process that has the session. Only such a check keeps two clients from writing one conversation, and it
    /// does so only if it comes right before the start.
    package static func holder(of sessionID: String, configuration: String) -> LiveSession? {
        all(configuration: configuration).first { $0.sessionID == sessionID }
    }

    /// The client's configuration directory in this environment.
    package static func configuration(environment: [String]) -> String? {
        func value(_ name: String) -> String? {
            environment.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        if let directory = value("CLAUDE_CONFIG_DIR"), !directory.isEmpty { return directory }
        return value("HOME").map { $0 + "/.claude" }
    }

    /// nil if the process has ended, or its pid belongs to another one.
    private static func session(_ value: JSONValue, pid: Int32) -> LiveSession? {
        guard value["pid"]?.integer == Int64(pid), let id = value["sessionId"]?.string else { return nil }
        if isHere(value["pidDomain"]?.string) {
            guard let entry = ProcessTable.entry(pid), !entry.isZombie else { return nil }
            let started = value["procStart"]?.string ?? value["procStart"]?.integer.map { String($0) }
            if let started, started != entry.identity.startTime { return nil }
        }
        return LiveSession(
            sessionID: id,
            pid: pid,
            kind: value["kind"]?.string ?? "interactive",
            entrypoint: value["entrypoint"]?.string,
            directory: value["cwd"]?.string,
            status: value["status"]?.string,
            waitingFor: value["waitingFor"]?.string,
            socket: value["messagingSocketPath"]?.string
        )
    }

    /// Whether a pid of this domain means a process that is seen here. A container or another machine may share the
    /// directory; its processes cannot be looked at, so they count as alive.
    ///
    /// - Parameter domain: such as `linux:3d12…:pid:[4026531836]`: the machine's id and the namespace of the pids.
    private static func isHere(_ domain: String?) -> Bool {
        guard let domain, let namespace = ProcessTable.link("/proc/self/ns/pid") else { return true }
        let machine = SessionFiles.tail("/etc/machine-id", limit: 64).map { bytes in
            String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        }
        guard domain.hasPrefix("linux:"), let machine, !machine.isEmpty else { return true }
        return domain == "linux:\(machine):\(namespace)"
    }
}
