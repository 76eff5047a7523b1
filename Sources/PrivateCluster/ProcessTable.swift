internal import Glibc

/// The live PostgreSQL processes, from `/proc`. A process id in a stale file may now belong to another program. The
/// working directory of every PostgreSQL process is its data directory, which identifies it.
enum ProcessTable {
    private enum WorkingDirectory: Equatable {
        case known(String)
        /// The kernel does not reveal it: root without CAP_SYS_PTRACE reads about another user's process.
        case hidden
        /// No such process, or a zombie.
        case none
    }

    /// Whether `processID` is a PostgreSQL process of the data directory. If the directory is hidden, the process
    /// name decides.
    static func isPostgres(_ processID: Int32, in dataDirectory: String) -> Bool {
        guard isNamedPostgres(processID) else { return false }
        let directory = workingDirectory(of: processID)
        return directory == .known(dataDirectory) || directory == .hidden
    }

    static func hasPostgres(in dataDirectory: String) -> Bool {
        processIDs().contains { isNamedPostgres($0) && workingDirectory(of: $0) == .known(dataDirectory) }
    }

    /// True for a process of any user, including zombies.
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
