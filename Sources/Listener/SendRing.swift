internal import CLibwebsockets
internal import CLiburing
internal import Glibc

/// Sends the same bytes to many sockets with one system call (io_uring(7)) in place of one for each. One thread at a
/// time.
///
/// None of the sends may wait (`MSG_DONTWAIT`), so each is over, and the bytes are no longer looked at, when the call
/// returns. Linux 5.6; a kernel or a sandbox may refuse it, as that of Docker does.
@safe final class SendRing {
    /// The most that go with one call.
    private static let entries = 128

    private let ring: UnsafeMutablePointer<io_uring>
    /// The kernel has refused to take what was asked: nothing can be sent with it any more.
    private(set) var isBroken = false

    /// nil: not to be had here.
    init?() {
        unsafe ring = .allocate(capacity: 1)
        unsafe ring.initialize(to: io_uring())
        guard unsafe io_uring_queue_init(UInt32(Self.entries), ring, 0) == 0 else {
            unsafe ring.deallocate()
            return nil
        }
    }

    deinit {
        unsafe io_uring_queue_exit(ring)
        unsafe ring.deallocate()
    }

    /// One behind the other, in their order; how many of the bytes each has taken.
    func offer(_ bytes: [UInt8], to sockets: [Wire.Socket]) -> [Int] {
        var taken = [Int](repeating: 0, count: sockets.count)
        unsafe bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < sockets.count, !isBroken {
                let end = min(start + Self.entries, sockets.count)
                for index in start..<end { unsafe prepare(buffer, to: sockets[index], as: index) }
                submit(end - start)
                collect(into: &taken)
                start = end
            }
        }
        return taken
    }

    private func prepare(_ bytes: UnsafeRawBufferPointer, to socket: Wire.Socket, as index: Int) {
        guard let entry = unsafe io_uring_get_sqe(ring) else { return }
        unsafe io_uring_prep_send(entry, socket.descriptor, bytes.baseAddress, bytes.count, listener_send_flags)
        unsafe io_uring_sqe_set_data64(entry, UInt64(index))
    }

    private func submit(_ count: Int) {
        var left = count
        while left > 0 {
            let submitted = unsafe io_uring_submit_and_wait(ring, UInt32(left))
            if submitted == -EINTR { continue }
            guard submitted > 0 else {
                isBroken = true
                return
            }
            left -= Int(submitted)
        }
    }

    private func collect(into taken: inout [Int]) {
        var completion: UnsafeMutablePointer<io_uring_cqe>?
        while unsafe io_uring_peek_cqe(ring, &completion) == 0, let found = unsafe completion {
            unsafe taken[Int(io_uring_cqe_get_data64(found))] = max(0, Int(found.pointee.res))
            unsafe io_uring_cqe_seen(ring, found)
        }
    }
}
