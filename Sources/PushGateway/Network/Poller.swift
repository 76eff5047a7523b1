internal import Glibc

/// Ends a wait of `Poller` from any thread. Uses a socket pair: a byte written to one makes the other readable.
final class WakeUp: Sendable {
    let descriptor: Int32
    private let writer: Int32

    init() throws(ConnectionError) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw ConnectionError(.outOfMemory, "no socket pair (errno \(errno))")
        }
        (descriptor, writer) = (pair[0], pair[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// A full socket needs no more bytes, because the wait ends anyway.
    func signal() {
        var byte: UInt8 = 1
        _ = unsafe send(writer, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe recv(descriptor, &bytes, bytes.count, 0) == bytes.count {}
    }
}

struct Readiness {
    var isReadable: Bool
    var isWritable: Bool
}

enum Poller {
    /// - Parameters:
    ///   - interests: descriptors, and whether to wait for writability as well.
    ///   - timeout: seconds; `nil` waits without limit.
    /// - Returns: the readiness in the order of `interests`. Errors and hang-ups count as readable and writable, so
    ///   that the next call reports them.
    static func wait(
        _ wakeUp: WakeUp,
        _ interests: [(descriptor: Int32, wantsWrite: Bool)],
        timeout: Double?
    ) -> [Readiness] {
        var entries = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
        for interest in interests {
            let events = POLLIN | (interest.wantsWrite ? POLLOUT : 0)
            entries.append(pollfd(fd: interest.descriptor, events: Int16(events), revents: 0))
        }
        // The timeout is rounded up; otherwise the wait would repeatedly end just before its time.
        let milliseconds = timeout.map { Int32(min(max(0, ($0 * 1000).rounded(.up)), 3_600_000)) } ?? -1
        let count = unsafe poll(&entries, UInt(entries.count), milliseconds)
        if count > 0, entries[0].revents != 0 { wakeUp.clear() }
        return entries.dropFirst().map { entry in
            guard count > 0 else { return Readiness(isReadable: false, isWritable: false) }
            let revents = Int32(entry.revents)
            let isBroken = revents & (POLLERR | POLLHUP | POLLNVAL) != 0
            return Readiness(
                isReadable: isBroken || revents & POLLIN != 0,
                isWritable: isBroken || revents & POLLOUT != 0
            )
        }
    }
}
