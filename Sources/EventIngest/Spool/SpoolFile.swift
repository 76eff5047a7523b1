internal import Glibc

/// Lets a test make a call fail. It is called before each call and returns an `errno`, or 0 to let the call proceed.
struct DiskFaults: Sendable {
    enum Call: Sendable {
        case write
        case sync
        case truncate
        case syncDirectory
    }

    var errorNumber: @Sendable (Call) -> Int32 = { _ in 0 }
}

/// One open file of the spool. It is closed with its owner and not inherited by child processes. Use from one thread
/// at a time.
struct SpoolFile: ~Copyable {
    private let descriptor: Int32
    private let faults: DiskFaults
    let path: String

    private init(_ path: String, flags: Int32, faults: DiskFaults) throws(SpoolError) {
        descriptor = Int32(
            retryingOnInterrupt { unsafe Int(open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600 as mode_t)) }
        )
        guard descriptor >= 0 else { throw SpoolError("open", path, code: errno) }
        self.path = path
        self.faults = faults
    }

    /// Fails if the file exists.
    init(creating path: String, faults: DiskFaults) throws(SpoolError) {
        try self.init(path, flags: O_RDWR | O_CREAT | O_EXCL, faults: faults)
    }

    init(reading path: String) throws(SpoolError) {
        try self.init(path, flags: O_RDONLY, faults: DiskFaults())
    }

    /// Creates the file if it does not exist.
    init(changing path: String, faults: DiskFaults) throws(SpoolError) {
        try self.init(path, flags: O_RDWR | O_CREAT, faults: faults)
    }

    deinit {
        close(descriptor)
    }

    /// After an error, any part of the bytes may have been written.
    func write(_ bytes: [UInt8], at offset: Int) throws(SpoolError) {
        let fault = faults.errorNumber(.write)
        guard fault == 0 else { throw SpoolError("write", path, code: fault) }
        var written = 0
        while written < bytes.count {
            let count = retryingOnInterrupt {
                unsafe bytes[written...].withUnsafeBytes { rest in
                    unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                }
            }
            guard count > 0 else { throw SpoolError("write", path, code: count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// After a failure, data written since the last success cannot be assumed durable. Calling this again proves
    /// nothing, because the kernel reports a lost write only once (fsync(2), EIO).
    func sync() throws(SpoolError) {
        let fault = faults.errorNumber(.sync)
        guard fault == 0 else { throw SpoolError("fdatasync", path, code: fault) }
        guard fdatasync(descriptor) == 0 else { throw SpoolError("fdatasync", path, code: errno) }
    }

    func truncate(to length: Int) throws(SpoolError) {
        let fault = faults.errorNumber(.truncate)
        guard fault == 0 else { throw SpoolError("truncate", path, code: fault) }
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw SpoolError("truncate", path, code: errno) }
    }

    func size() throws(SpoolError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw SpoolError("size", path, code: errno) }
        return Int(end)
    }

    /// Returns fewer than `limit` bytes only at the end of the file.
    func read(at offset: Int, limit: Int) throws(SpoolError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            while filled < limit {
                let start = filled
                let count = retryingOnInterrupt {
                    unsafe pread(
                        descriptor,
                        buffer.baseAddress?.advanced(by: start),
                        limit - start,
                        off_t(offset + start)
                    )
                }
                if count < 0 { failure = errno }
                guard count > 0 else { return }
                filled += count
            }
        }
        guard failure == 0 else { throw SpoolError("read", path, code: failure) }
        return bytes
    }
}

/// Repeats `call` while a signal interrupts it. A negative result is a failure, described by `errno`.
func retryingOnInterrupt(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
