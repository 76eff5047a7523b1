internal import Glibc

/// An exclusive advisory lock (`flock(2)`) on a file. Given up when this value goes, or when the process ends in any
/// way. No child inherits it: a postmaster that outlives its server does not keep the next server out.
final class LockFile: Sendable {
    private let descriptor: FileDescriptor

    /// `nil` if somebody else holds it. Never waits. The file stays when the lock goes.
    init?(_ path: String) throws(SystemFault) {
        let descriptor = try FileDescriptor(opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        if retryingOnInterrupt({ Int(flock(descriptor.number, LOCK_EX | LOCK_NB)) }) != 0 {
            if errno == EWOULDBLOCK { return nil }
            throw SystemFault("lock", path)
        }
        self.descriptor = descriptor
    }

    /// At once, not when the last reference happens to go. The file counts as unlocked from now on.
    func release() {
        _ = flock(descriptor.number, LOCK_UN)
    }
}
