internal import Glibc

/// Wakes a thread that waits in poll(2).
final class WakeUp: Sendable {
    let reading: Descriptor
    private let writing: Descriptor

    init() throws(SystemFault) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw SystemFault("make", "a pipe") }
        reading = Descriptor(owning: ends[0])
        writing = Descriptor(owning: ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    /// Any thread. A full pipe wakes as well.
    func notify() {
        _ = writing.write([0])
    }

    func clear() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while reading.read(into: &buffer) > 0 {}
    }
}
