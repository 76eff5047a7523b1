internal import EventModel
internal import Glibc

/// What this process is called in claims that it writes into the database.
///
/// A name is the data directory's id and one made at the start. The id stands in `server.id` (0600) under a lock
/// (flock(2)) that goes with the process, however it ends: who holds it knows that every other process named by that
/// id is dead. Where the lock is held or cannot be had, the id is a fresh one that names nobody else.
final class ServerIdentity: Sendable {
    /// Names this process alone.
    let process: String
    /// Begins the names of this process and of those whose place it has taken.
    let lineage: String
    /// Held for as long as this lives; `nil`: no lock.
    private let descriptor: Int32?

    /// Never waits.
    init(directory: String, now: Timestamp) {
        var random = SystemRandomNumberGenerator()
        let fresh = { EventID.version7(at: now, using: &random) }
        descriptor = ServerIdentity.lock(directory + "/server.id")
        let id = descriptor.flatMap { ServerIdentity.id(in: $0, orElse: fresh()) } ?? fresh()
        lineage = "\(id)/"
        process = lineage + fresh().description
    }

    deinit {
        if let descriptor { close(descriptor) }
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

    /// The id that is stored, else the new one, stored from now on; `nil`: it cannot be.
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
