internal import Glibc

/// Ends a wait of `Poller` from any thread. Uses a socket pair: a byte written to one makes the other readable.
package final class WakeUp: Sendable {
    let descriptor: Int32
    private let writer: Int32

    package init() throws(ConnectionError) {
        guard let pair = SystemSocket.pair() else {
            throw ConnectionError(.outOfMemory, "no socket pair (errno \(errno))")
        }
        (descriptor, writer) = pair
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// A full socket needs no more bytes, because the wait ends anyway.
    package func signal() {
        _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe SystemSocket.send(writer, $0) }
    }

    func clear() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe recv(descriptor, &bytes, bytes.count, 0) == bytes.count {}
    }
}

package struct Readiness {
    package var isReadable: Bool
    package var isWritable: Bool
}

package enum Poller {
    /// - Parameters:
    ///   - interests: descriptors, and whether to wait for writability as well.
    ///   - timeout: seconds; `nil` waits without limit.
    /// - Returns: the readiness in the order of `interests`. Errors and hang-ups count as readable and writable, so
    ///   that the next call reports them.
    package static func wait(
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
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
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
