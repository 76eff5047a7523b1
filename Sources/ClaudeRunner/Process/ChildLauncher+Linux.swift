internal import Glibc
internal import Workers

/// What a child has as its standard input, output and error.
enum ChildStreams {
    /// It opens its pipes itself, for reading and writing: they stay when this agent ends.
    case pipes(SessionFiles)
    /// It opens its pipes for one direction. The other ends must be open in this agent alone: when the agent ends, the
    /// child's input ends, and its output fails.
    case pipesOfAgent(SessionFiles)
    /// The first terminal that the leader of a session opens becomes its own.
    case terminal(String)
    /// A socket as the input, and the errors' file.
    case socket(Descriptor, SessionFiles)
    /// Nobody reads its errors.
    case descriptors(input: Descriptor, output: Descriptor)

    fileprivate func add(to actions: UnsafeMutablePointer<posix_spawn_file_actions_t>) -> [Int32] {
        func open(_ number: Int32, _ path: String, _ flags: Int32) -> Int32 {
            unsafe posix_spawn_file_actions_addopen(actions, number, path, flags, 0)
        }
        let appending = O_WRONLY | O_APPEND
        return switch self {
        case .pipes(let files):
            [open(0, files.input, O_RDWR), open(1, files.output, O_RDWR), open(2, files.errors, appending)]
        case .pipesOfAgent(let files):
            [open(0, files.input, O_RDONLY), open(1, files.output, O_WRONLY), open(2, files.errors, appending)]
        case .terminal(let path): [open(0, path, O_RDWR), open(1, path, O_RDWR), open(2, path, O_RDWR)]
        case .socket(let socket, let files):
            [
                unsafe posix_spawn_file_actions_adddup2(actions, socket.number, 0),
                open(1, "/dev/null", O_WRONLY), open(2, files.errors, appending),
            ]
        case .descriptors(let input, let output):
            [
                unsafe posix_spawn_file_actions_adddup2(actions, input.number, 0),
                unsafe posix_spawn_file_actions_adddup2(actions, output.number, 1),
                open(2, "/dev/null", O_WRONLY),
            ]
        }
    }
}

/// Starts clients.
enum ChildLauncher {
    /// In a session of its own, so that no terminal and no signal to this agent's group reaches it.
    ///
    /// - Parameter directory: where the child starts, whatever its path names by then.
    static func start(
        _ executable: String,
        _ arguments: [String],
        environment: [String],
        streams: ChildStreams,
        directory: Descriptor
    ) throws(SystemFault) -> ProcessHandle {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        var results = [unsafe GNUFunctions.addDirectory(directory.number, to: &actions)]
        unsafe results += streams.add(to: &actions)
        // Libraries of this process may have opened files that children would inherit.
        unsafe results.append(GNUFunctions.addCloseFrom(3, to: &actions))
        if let code = results.first(where: { $0 != 0 }) { throw SystemFault("start", executable, code: code) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        try unsafe configure(&attributes, executable)

        let argv = CStrings([executable] + arguments)
        let envp = CStrings(environment)
        var pid = pid_t()
        let code = withExtendedLifetime((argv, envp)) {
            unsafe posix_spawn(&pid, executable, &actions, &attributes, argv.pointers, envp.pointers)
        }
        guard code == 0 else { throw SystemFault("start", executable, code: code) }
        // A child that has ended stays in the table until it is waited for.
        guard let identity = ProcessTable.entry(pid)?.identity, let process = ProcessHandle(identity) else {
            throw SystemFault("find", executable, code: ESRCH)
        }
        return process
    }

    private static func configure(
        _ attributes: UnsafeMutablePointer<posix_spawnattr_t>,
        _ executable: String
    ) throws(SystemFault) {
        // The macro is a GNU extension that Swift does not see.
        let newSession: Int16 = 0x80
        let flags = newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        let results = [
            unsafe posix_spawnattr_setsigmask(attributes, &none),
            unsafe posix_spawnattr_setsigdefault(attributes, &all),
            unsafe posix_spawnattr_setflags(attributes, flags),
        ]
        if let code = results.first(where: { $0 != 0 }) { throw SystemFault("start", executable, code: code) }
    }
}

/// An array of C strings that ends with a null pointer.
///
/// Safe because the memory is private and freed only in `deinit`.
@safe private final class CStrings {
    private let array: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        unsafe array = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { unsafe (array + index).initialize(to: strdup(string)) }
        unsafe (array + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe free(array[index]) }
        unsafe array.deinitialize(count: count + 1)
        unsafe array.deallocate()
    }

    /// Valid while the object lives.
    @unsafe var pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { unsafe array }
}
