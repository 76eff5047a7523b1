internal import Glibc

/// The program that this process runs: execve(2).
enum ProcessImage {
    /// Makes this process another program, in this directory. Returns only if that fails, with the reason.
    static func become(
        _ program: String,
        _ arguments: [String],
        environment: [String],
        directory: String,
        mask: UInt32
    ) -> String {
        guard unsafe chdir(directory) == 0 else { return "\(directory): \(unsafe String(cString: strerror(errno)))" }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        umask(mode_t(mask))
        _ = unsafe execve(program, &words, &variables)
        return unsafe String(cString: strerror(errno))
    }
}
