internal import Glibc
internal import Host

/// A program that ends soon, such as `claude --version`.
enum ShortProcess {
    struct Done: Equatable {
        var status: Int32
        var output: [UInt8]

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Runs a program without a shell and waits for it; blocks the thread. Returns `nil` if it cannot be started or
    /// takes too long.
    ///
    /// - Parameters:
    ///   - environment: complete, as `NAME=value`.
    ///   - limit: bytes of the output.
    ///   - keepsErrors: standard error stays that of this process; otherwise nobody reads it.
    static func run(
        _ program: String,
        _ arguments: [String],
        environment: [String],
        seconds: Int32,
        atMost limit: Int = 256 << 10,
        keepsErrors: Bool = false
    ) -> Done? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        if !keepsErrors { unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        var pid: pid_t = 0
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        let code = unsafe posix_spawn(&pid, program, &actions, nil, &words, &variables)
        close(ends[1])
        guard code == 0 else { return nil }
        let (output, isWhole) = read(ends[0], seconds: seconds, atMost: limit)
        if !isWhole { kill(pid, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard isWhole else { return nil }
        return Done(status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, output: output)
    }

    /// Reads to the end. False if that does not come in time.
    private static func read(_ file: Int32, seconds: Int32, atMost limit: Int) -> (output: [UInt8], isWhole: Bool) {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let end = SystemClock.monotonicSeconds() + Double(seconds)
        while true {
            var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let left = end - SystemClock.monotonicSeconds()
            guard left > 0, unsafe poll(&wait, 1, Int32((left * 1000).rounded(.up))) >= 0 || errno == EINTR else {
                return (output, false)
            }
            guard wait.revents != 0 else { continue }
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (output, true) }
            guard output.count < limit else { return (output, false) }
            output += buffer[..<count]
        }
    }
}
