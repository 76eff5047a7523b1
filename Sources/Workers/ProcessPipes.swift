internal import Glibc

/// The two ends of a pipe. Not inherited by children.
final class Pipe {
    let reading: Int32
    private(set) var writing: Int32

    init() throws(ShortProcess.Fault) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .notStarted(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        (reading, writing) = (ends[0], ends[1])
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    deinit {
        closeWriting()
        close(reading)
    }
}

/// What a program reads: a file without a name, so that a program that does not read holds nothing up.
///
/// Safe because the stream is private and closed only in `deinit`.
@safe final class InputFile {
    private let stream: UnsafeMutablePointer<FILE>?

    /// -1 if there is nothing to read.
    var descriptor: Int32 { unsafe stream.map { unsafe fileno($0) } ?? -1 }

    init(_ bytes: [UInt8]) throws(ShortProcess.Fault) {
        guard !bytes.isEmpty else {
            unsafe stream = nil
            return
        }
        guard let file = unsafe tmpfile() else { throw .notStarted(errno) }
        unsafe stream = file
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count, unsafe fflush(file) == 0 else {
            throw .notStarted(errno)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { if let stream = unsafe stream { unsafe fclose(stream) } }
}

/// What a program reads, in memory alone.
final class InputPipe {
    let reading: Int32

    /// - Parameter bytes: at most as many as a pipe holds, 64 KiB.
    init(_ bytes: [UInt8]) throws(ShortProcess.Fault) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .notStarted(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        defer { close(ends[1]) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard unsafe write(ends[1], bytes, bytes.count) == bytes.count else { throw .notStarted(EMSGSIZE) }
    }

    deinit { close(reading) }
}

/// Reads what a program writes.
struct ProcessReader {
    private var descriptors: (output: Int32, errors: Int32)
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private(set) var output: [UInt8] = []
    private(set) var errorText: [UInt8] = []
    /// The program writes more than is wanted.
    private(set) var isCut = false

    /// - Parameter errors: -1 if they are not read.
    init(output: Int32, errors: Int32) { descriptors = (output, errors) }

    var isAtEnd: Bool { descriptors.output < 0 && descriptors.errors < 0 }

    func wait(seconds: Double) {
        var waits = [
            pollfd(fd: descriptors.output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptors.errors, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&waits, 2, Int32((seconds * 1000).rounded(.up)))
    }

    /// Reads all that is there.
    mutating func read(outputLimit: Int, errorLimit: Int) {
        if descriptors.output >= 0, drain(descriptors.output, outputLimit, isErrors: false) { descriptors.output = -1 }
        if descriptors.errors >= 0, drain(descriptors.errors, errorLimit, isErrors: true) { descriptors.errors = -1 }
    }

    /// Returns true at the end.
    private mutating func drain(_ file: Int32, _ limit: Int, isErrors: Bool) -> Bool {
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return false }
            guard count > 0 else { return true }
            if isErrors {
                errorText += buffer[..<min(count, max(0, limit - errorText.count))]
            } else {
                output += buffer[..<min(count, limit - output.count)]
                guard output.count < limit else {
                    isCut = true
                    return false
                }
            }
        }
    }
}
