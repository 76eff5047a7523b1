internal import Glibc

/// The living PostgreSQL processes, from `/proc`. A process number in a stale file may belong to somebody else by now;
/// every PostgreSQL process has its data directory as working directory, which tells.
enum ProcessTable {
    private enum WorkingDirectory: Equatable {
        case known(String)
        /// The kernel does not say: a root without CAP_SYS_PTRACE asks about another user's process.
        case hidden
        /// No such process, or one that has ended and waits for its parent.
        case none
    }

    /// Whether `processID` is a PostgreSQL process of the data directory. Where that is hidden, the name decides.
    static func isPostgres(_ processID: Int32, in dataDirectory: String) -> Bool {
        guard isNamedPostgres(processID) else { return false }
        let directory = workingDirectory(of: processID)
        return directory == .known(dataDirectory) || directory == .hidden
    }

    static func hasPostgres(in dataDirectory: String) -> Bool {
        processIDs().contains { isNamedPostgres($0) && workingDirectory(of: $0) == .known(dataDirectory) }
    }

    /// True for a process of any user, also one that has ended and waits for its parent.
    static func exists(_ processID: Int32) -> Bool {
        kill(processID, 0) == 0 || errno == EPERM
    }

    private static func isNamedPostgres(_ processID: Int32) -> Bool {
        (try? FileSystem.readTail("/proc/\(processID)/comm", limit: 64)) == "postgres\n"
    }

    private static func workingDirectory(of processID: Int32) -> WorkingDirectory {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/\(processID)/cwd", &buffer, buffer.count)
        if count < 0 { return errno == EACCES || errno == EPERM ? .hidden : .none }
        return .known(String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private static func processIDs() -> [Int32] {
        guard let directory = unsafe opendir("/proc") else { return [] }
        defer { unsafe closedir(directory) }
        var numbers: [Int32] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
