internal import Glibc

/// An exclusive advisory lock (`flock(2)`) on a file. Released when this object is deinitialized or the process ends.
/// Child processes do not inherit it: a postmaster that outlives its server does not lock out the next server.
final class LockFile: Sendable {
    private let descriptor: FileDescriptor

    /// Returns `nil` if another process holds the lock. Never blocks. The file remains after the lock is released.
    init?(_ path: String) throws(SystemFault) {
        let descriptor = try FileDescriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        if retryingOnInterrupt({ Int(flock(descriptor.number, LOCK_EX | LOCK_NB)) }) != 0 {
            if errno == EWOULDBLOCK { return nil }
            throw SystemFault("lock", path)
        }
        self.descriptor = descriptor
    }

    /// Releases the lock immediately, not when the last reference is dropped. The file is unlocked afterwards.
    func release() {
        _ = flock(descriptor.number, LOCK_UN)
    }
}
