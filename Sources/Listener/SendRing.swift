internal import CLiburing
internal import CLibwebsockets
internal import Glibc

/// Sends to many sockets with one system call (io_uring(7)) in place of one for each. One thread at a time.
///
/// None of the sends may wait (`MSG_DONTWAIT`), so each is over when the call returns. Linux 5.6; a kernel or a sandbox
/// may refuse it, as that of Docker does from release 25 on.
@safe final class SendRing {
    /// The most that go with one call.
    private static let entries = 128

    private let ring: UnsafeMutablePointer<io_uring>
    /// The kernel has refused to take what was asked: nothing can be sent with it any more.
    private(set) var isBroken = false

    struct Refused: Error {
        let errorNumber: Int32
    }

    init() throws(Refused) {
        unsafe ring = .allocate(capacity: 1)
        unsafe ring.initialize(to: io_uring())
        let result = unsafe io_uring_queue_init(UInt32(Self.entries), ring, 0)
        guard result == 0 else {
            unsafe ring.deallocate()
            throw Refused(errorNumber: -result)
        }
    }

    deinit {
        unsafe io_uring_queue_exit(ring)
        unsafe ring.deallocate()
    }

    /// One behind the other, in their order; how many of the bytes each has taken.
    ///
    /// - Parameter part: which of the bytes are for the socket at a place; `nil`: all.
    func offer(_ bytes: [UInt8], to sockets: [LWSConnection.Socket], part: ((Int) -> Range<Int>)? = nil) -> [Int] {
        var taken = [Int](repeating: 0, count: sockets.count)
        unsafe bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < sockets.count, !isBroken {
                let end = min(start + Self.entries, sockets.count)
                for index in start..<end {
                    let own = unsafe buffer[part?(index) ?? buffer.indices]
                    unsafe prepare(UnsafeRawBufferPointer(rebasing: own), to: sockets[index], as: index)
                }
                collect(submit(), into: &taken)
                start = end
            }
        }
        return taken
    }

    private func prepare(_ bytes: UnsafeRawBufferPointer, to socket: LWSConnection.Socket, as index: Int) {
        guard let entry = unsafe io_uring_get_sqe(ring) else { return }
        unsafe io_uring_prep_send(entry, socket.descriptor, bytes.baseAddress, bytes.count, listener_send_flags)
        unsafe io_uring_sqe_set_data64(entry, UInt64(index))
    }

    /// How many of those prepared the kernel has begun: all, or it takes no more.
    private func submit() -> Int {
        var begun = 0
        while unsafe io_uring_sq_ready(ring) > 0 {
            let count = unsafe io_uring_submit(ring)
            if count == -EINTR { continue }
            guard count > 0 else {
                isBroken = true
                break
            }
            begun += Int(count)
        }
        return begun
    }

    /// Each that was begun tells its end once: before all have, the bytes are the kernel's.
    private func collect(_ begun: Int, into taken: inout [Int]) {
        var told = 0
        while told < begun {
            var completion: UnsafeMutablePointer<io_uring_cqe>?
            guard unsafe io_uring_wait_cqe(ring, &completion) == 0, let found = unsafe completion else { continue }
            unsafe taken[Int(io_uring_cqe_get_data64(found))] = max(0, Int(found.pointee.res))
            unsafe io_uring_cqe_seen(ring, found)
            told += 1
        }
    }
}
