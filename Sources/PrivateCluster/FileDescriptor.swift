internal import Glibc

/// One open file, closed with its owner. Not inherited by child processes.
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    init(opening path: String, flags: Int32, mode: mode_t = 0) throws(SystemFault) {
        number = Int32(retryingOnInterrupt { unsafe Int(open(path, flags | O_CLOEXEC, mode)) })
        if number < 0 { throw SystemFault("open", path) }
    }

    deinit {
        close(number)
    }

    func write(all bytes: [UInt8], path: String) throws(SystemFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = retryingOnInterrupt {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
            if written < 0 { throw SystemFault("write", path) }
            rest = rest.dropFirst(written)
        }
    }

    /// Reads at most `limit` bytes from `offset`. Returns fewer only at the end of the file.
    func read(at offset: Int, limit: Int, path: String) throws(SystemFault) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 16384))
        while bytes.count < limit {
            let wanted = min(chunk.count, limit - bytes.count)
            let position = offset + bytes.count
            let count = retryingOnInterrupt {
                unsafe chunk.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, wanted, position) }
            }
            if count < 0 { throw SystemFault("read", path) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return bytes
    }

    func sync(path: String) throws(SystemFault) {
        if fsync(number) != 0 { throw SystemFault("fsync", path) }
    }
}
