internal import Glibc
internal import Workers

/// One process. Its pid alone could belong to another one by now.
struct ProcessIdentity: Sendable, Hashable {
    var pid: Int32
    /// Ticks since the machine started, as in proc(5).
    var startTime: String
}

/// The processes of this machine, from `/proc`.
enum ProcessTable {
    struct Entry: Sendable {
        var identity: ProcessIdentity
        var parent: Int32
        /// The session, in the sense of setsid(2).
        var session: Int32
        var isZombie: Bool
    }

    static var bootID: String {
        let bytes = read("/proc/sys/kernel/random/boot_id")
        return String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }

    /// The environment of this process, each as `NAME=value`.
    static var ownEnvironment: [String] {
        read("/proc/self/environ").split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// nil: there is no such process.
    static func entry(_ pid: Int32) -> Entry? {
        // The name of the program, in parentheses, may contain anything.
        let text = read("/proc/\(pid)/stat")
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let session = Int32(String(decoding: fields[3], as: UTF8.self))
        else { return nil }
        let startTime = String(decoding: fields[19], as: UTF8.self)
        return Entry(
            identity: ProcessIdentity(pid: pid, startTime: startTime),
            parent: parent,
            session: session,
            isZombie: fields[0].first == UInt8(ascii: "Z") || fields[0].first == UInt8(ascii: "X")
        )
    }

    /// A zombie does not run.
    static func isRunning(_ process: ProcessIdentity) -> Bool {
        guard let entry = entry(process.pid) else { return false }
        return entry.identity == process && !entry.isZombie
    }

    static func all() -> [Entry] {
        DirectoryNames.all(in: "/proc").compactMap { Int32($0) }.compactMap(entry)
    }

    /// The running processes below `pid`, the nearest first.
    static func descendants(of pid: Int32) -> [ProcessIdentity] {
        let children = Dictionary(grouping: all(), by: \.parent)
        var found: [ProcessIdentity] = []
        var parents = [pid]
        while !parents.isEmpty {
            let next = parents.flatMap { children[$0] ?? [] }
            found += next.filter { !$0.isZombie }.map(\.identity)
            parents = next.map(\.identity.pid)
        }
        return found
    }

    /// Whether a command of a tool runs below the client. The client starts each in a session of its own.
    static func hasTools(_ pid: Int32) -> Bool {
        guard let own = entry(pid) else { return false }
        return descendants(of: pid).contains { process in
            entry(process.pid).map { $0.session != own.session } ?? false
        }
    }

    /// The running processes whose environment contains this entry. A child inherits its parent's environment, however
    /// far it has gone since.
    static func processes(withEnvironment entry: String) -> [ProcessIdentity] {
        let wanted = Array(entry.utf8)
        return all().compactMap { process in
            guard !process.isZombie else { return nil }
            let environment = read("/proc/\(process.identity.pid)/environ").split(separator: 0)
            return environment.contains { $0.elementsEqual(wanted) } ? process.identity : nil
        }
    }

    /// The arguments of a process, with spaces between, at most 512 bytes.
    static func command(of pid: Int32) -> String {
        let bytes = read("/proc/\(pid)/cmdline").prefix(512).map { $0 == 0 ? UInt8(ascii: " ") : $0 }
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// The target of the descriptor's link in `/proc`, such as a path.
    static func target(of descriptor: Int32, in pid: Int32) -> String? {
        link("/proc/\(pid)/fd/\(descriptor)")
    }

    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0, count < 4096 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A file of `/proc`, which has no size. Empty if it cannot be read.
    private static func read(_ path: String) -> [UInt8] {
        guard let file = try? Descriptor(opening: path, flags: O_RDONLY) else { return [] }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 8192)
        while bytes.count < 1 << 20 {
            let count = file.read(into: &chunk)
            if count <= 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }
}
