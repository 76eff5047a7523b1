package import EventModel
internal import Glibc

/// The name of this process in claims that it writes to the database.
///
/// A name consists of the data directory's id and an id made at startup. The directory's id is in `server.id` (0600)
/// under a lock (flock(2)), which the kernel releases when the process ends. So the lock holder knows that every
/// other process with this directory id is dead. If the lock is held or cannot be taken, a new id is used that names
/// no other process.
package final class ServerIdentity: Sendable {
    /// Identifies this process only.
    package let process: String
    /// The common prefix of the names of this process and its predecessors.
    package let lineage: String
    /// Held for the lifetime of this object; `nil` means no lock.
    private let descriptor: Int32?

    /// Never blocks.
    package init(directory: String, now: Timestamp) {
        var random = SystemRandomNumberGenerator()
        let fresh = { EventID.version7(at: now, using: &random) }
        descriptor = ServerIdentity.lock(directory + "/server.id")
        let id = descriptor.flatMap { ServerIdentity.id(in: $0, orElse: fresh()) } ?? fresh()
        lineage = "\(id)/"
        process = lineage + fresh().description
    }

    deinit {
        guard let descriptor else { return }
        // A child process has a copy of the descriptor, and the lock with it, from its fork to its exec.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func lock(_ path: String) -> Int32? {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Returns the stored id, or the new one after storing it, or `nil` if it cannot be stored.
    private static func id(in descriptor: Int32, orElse new: EventID) -> EventID? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { return nil }
        if let stored = EventID(String(decoding: buffer.prefix(count), as: UTF8.self).trimmed) { return stored }
        let line = Array("\(new)\n".utf8)
        guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, line, line.count, 0) == line.count,
            fsync(descriptor) == 0
        else { return nil }
        return new
    }
}
