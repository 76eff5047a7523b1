internal import Glibc

/// A program whose output is read while it runs. Confined to one thread. Ends with its owner.
package final class RunningProcess {
    package enum Output: Equatable {
        case bytes([UInt8])
        /// Nothing waits.
        case none
        case end
    }

    private let pid: pid_t
    private let output: Pipe
    private var status: Int32?
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// - Parameters:
    ///   - environment: complete, as `NAME=value`.
    ///   - secret: standard input, at most 64 KiB. It is on no disk.
    ///   - attachment: what the program reads from its descriptor 3; empty for none.
    package init(
        _ program: String,
        _ arguments: [String],
        environment: [String],
        secret: [UInt8],
        attachment: [UInt8]
    ) throws(ShortProcess.Fault) {
        let process = ShortProcess(
            program,
            arguments.map { Array($0.utf8) },
            environment: environment,
            seconds: .infinity
        )
        output = try Pipe()
        let (input, file) = (try InputPipe(secret), try InputFile(attachment))
        pid = try process.start(
            input: input.reading,
            output: output.writing,
            errors: nil,
            attachment: file.descriptor
        )
        output.closeWriting()
        withExtendedLifetime((input, file)) {}
    }

    /// Readable when there is something to read.
    package var descriptor: Int32 { output.reading }

    package func read() -> Output {
        while true {
            let count = unsafe Glibc.read(output.reading, &buffer, buffer.count)
            if count > 0 { return .bytes(Array(buffer[..<count])) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? .none : .end
        }
    }

    /// Ends the program, if it still runs.
    ///
    /// - Returns: its exit status, or 128 and the number of the signal.
    @discardableResult
    package func end() -> Int32 {
        if let status { return status }
        kill(pid, SIGKILL)
        return awaitEnd()
    }

    /// Waits for the program, which has closed its output.
    package func awaitEnd() -> Int32 {
        if let status { return status }
        let found = ShortProcess.status(of: pid, waits: true) ?? 128 + SIGKILL
        status = found
        return found
    }

    deinit { end() }
}
