internal import Dispatch
internal import Glibc

/// A program that ends soon, such as `claude --version` or a command of git.
package struct ShortProcess: Sendable {
    package struct Done: Equatable, Sendable {
        /// The exit status, or 128 and the number of the signal.
        package var status: Int32
        package var output: [UInt8]
        package var errors: [UInt8] = []
        /// The program wrote more than was wanted and was ended.
        package var isCut = false

        package var text: String { String(decoding: output, as: UTF8.self) }
    }

    package enum Fault: Error, Equatable {
        case notStarted(Int32)
        case timedOut
    }

    package enum Errors: Sendable {
        /// Standard error is that of this process.
        case inherited
        case discarded
        /// The first 64 KiB are kept.
        case kept
    }

    private static let errorLimit = 64 << 10
    /// Seconds between SIGTERM, at which a program may tidy up, and SIGKILL.
    private static let graceSeconds = 2.0

    package var program: String
    package var arguments: [[UInt8]]
    /// Complete, as `NAME=value`.
    package var environment: [String]
    package var input: [UInt8] = []
    package var errors = Errors.discarded
    package var outputLimit = 256 << 10
    package var seconds: Double
    /// The program gets no terminal, and what it has started ends with it when the time is over.
    package var hasOwnSession = false

    package init(_ program: String, _ arguments: [[UInt8]], environment: [String], seconds: Double) {
        (self.program, self.arguments, self.environment) = (program, arguments, environment)
        self.seconds = seconds
    }

    /// Runs a program without a shell and waits for it; blocks the thread. Returns `nil` if it cannot be started,
    /// takes too long or writes too much.
    ///
    /// - Parameters:
    ///   - environment: complete, as `NAME=value`.
    ///   - limit: bytes of the output.
    ///   - keepsErrors: standard error stays that of this process; otherwise nobody reads it.
    package static func run(
        _ program: String,
        _ arguments: [String],
        environment: [String],
        seconds: Double,
        atMost limit: Int = 256 << 10,
        keepsErrors: Bool = false
    ) -> Done? {
        let words = arguments.map { Array($0.utf8) }
        var process = ShortProcess(program, words, environment: environment, seconds: seconds)
        (process.errors, process.outputLimit) = (keepsErrors ? .inherited : .discarded, limit)
        guard let done = try? process.run(), !done.isCut else { return nil }
        return done
    }

    /// Runs the program and waits for it; blocks the thread.
    package func run() throws(Fault) -> Done { try finish(try begin()) }

    /// Runs two programs at the same time and waits for both; blocks the thread. If one cannot be started or takes too
    /// long, this throws after the other has ended.
    package static func together(
        _ first: ShortProcess,
        _ second: ShortProcess
    ) throws(Fault) -> (Done, Done) {
        let begun = try first.begin()
        // What the second writes meanwhile waits in its pipe.
        let other = Result { () throws(Fault) in try second.begin() }
        let done = Result { () throws(Fault) in try first.finish(begun) }
        let otherDone = Result { () throws(Fault) in try second.finish(try other.get()) }
        return (try done.get(), try otherDone.get())
    }

    /// A program that runs, with the descriptors that it uses to the end.
    private struct Begun {
        var pid: pid_t
        var output: Pipe
        var errors: Pipe?
        var input: InputFile
        /// The time at which the process is ended, on the clock of `now`.
        var end: Double
    }

    private func begin() throws(Fault) -> Begun {
        let output = try Pipe()
        let errorPipe = try errors == .kept ? Pipe() : nil
        let inputFile = try InputFile(input)
        let pid = try start(input: inputFile.descriptor, output: output.writing, errors: errorPipe?.writing)
        output.closeWriting()
        errorPipe?.closeWriting()
        let end = ShortProcess.now() + seconds
        return Begun(pid: pid, output: output, errors: errorPipe, input: inputFile, end: end)
    }

    private func finish(_ begun: Begun) throws(Fault) -> Done {
        defer { withExtendedLifetime(begun) {} }
        let (pid, end) = (begun.pid, begun.end)
        var reader = ProcessReader(output: begun.output.reading, errors: begun.errors?.reading ?? -1)
        var status: Int32?
        while !reader.isAtEnd, status == nil {
            let left = end - ShortProcess.now()
            guard left > 0 else { break }
            // A child of the program may keep the pipes open, so its end is looked for as well.
            reader.wait(seconds: min(left, 0.1))
            reader.read(outputLimit: outputLimit, errorLimit: ShortProcess.errorLimit)
            if reader.isCut { break }
            status = ShortProcess.status(of: pid, waits: false)
            if status != nil { reader.read(outputLimit: outputLimit, errorLimit: ShortProcess.errorLimit) }
        }
        if status == nil, reader.isAtEnd, !reader.isCut { status = ShortProcess.status(of: pid, until: end) }
        let isOver = status == nil
        let code = status ?? stop(pid)
        if isOver, !reader.isCut { throw .timedOut }
        return Done(status: code, output: reader.output, errors: reader.errorText, isCut: reader.isCut)
    }

    /// Ends the program, and takes its status.
    private func stop(_ pid: pid_t) -> Int32 {
        let target = hasOwnSession ? -pid : pid
        kill(target, SIGTERM)
        let status = ShortProcess.status(of: pid, until: ShortProcess.now() + ShortProcess.graceSeconds)
        kill(target, SIGKILL)
        return status ?? ShortProcess.status(of: pid, waits: true) ?? 128 + SIGKILL
    }

    private static func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    private static func status(of pid: pid_t, until end: Double) -> Int32? {
        // Most programs end at once after they have closed their output.
        var pause: UInt32 = 50
        while true {
            if let status = status(of: pid, waits: false) { return status }
            guard now() < end else { return nil }
            usleep(pause)
            pause = min(2000, 2 * pause)
        }
    }

    static func status(of pid: pid_t, waits: Bool) -> Int32? {
        var status: Int32 = 0
        while true {
            let result = unsafe waitpid(pid, &status, waits ? 0 : WNOHANG)
            if result == 0 { return nil }
            if result < 0, errno == EINTR { continue }
            guard result == pid else { return 128 + SIGKILL }
            return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        }
    }

    /// - Parameter attachment: becomes the child's descriptor 3; -1 for none.
    func start(
        input: Int32,
        output: Int32,
        errors errorEnd: Int32?,
        attachment: Int32 = -1
    ) throws(Fault) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        if input >= 0 {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        switch errors {
        case .inherited: break
        case .discarded: unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        case .kept: unsafe posix_spawn_file_actions_adddup2(&actions, errorEnd ?? output, 2)
        }
        if attachment >= 0 { unsafe posix_spawn_file_actions_adddup2(&actions, attachment, 3) }
        // Libraries of this process may have opened files that children would inherit.
        _ = unsafe GNUFunctions.addCloseFrom(attachment >= 0 ? 4 : 3, to: &actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        // The macro is a GNU extension that Swift does not see.
        let newSession: Int16 = 0x80
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | (hasOwnSession ? newSession : 0)
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var words = unsafe ([Array(program.utf8)] + arguments).map { unsafe ShortProcess.copy($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let code = unsafe posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw .notStarted(code) }
        return pid
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        unsafe bytes.withUnsafeBytes { source in
            unsafe source.baseAddress.flatMap { unsafe strndup($0.assumingMemoryBound(to: CChar.self), bytes.count) }
                ?? strdup("")
        }
    }
}
