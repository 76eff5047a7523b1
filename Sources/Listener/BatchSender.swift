internal import CLiburing
internal import CLibwebsockets
internal import Glibc
internal import Logging

/// Sends to many sockets directly, bypassing the library. Loop thread only. A send never waits: each socket takes as
/// many bytes as the kernel has room for.
///
/// Only this file knows how the bytes reach the kernel. `docs/performance.md` describes what `RingSender` saves.
protocol BatchSender: AnyObject {
    /// Sends the same bytes to each socket, in order. Returns how many of them each has taken.
    func send(_ bytes: [UInt8], to sockets: [LWSConnection.Socket]) -> [Int]

    /// Sends each socket its own bytes, in order. Returns how many of them each has taken.
    func send(_ pieces: [[UInt8]], to sockets: [LWSConnection.Socket]) -> [Int]
}

/// Makes one system call for each socket.
final class PlainSender: BatchSender {
    func send(_ bytes: [UInt8], to sockets: [LWSConnection.Socket]) -> [Int] {
        sockets.map { $0.offer(bytes) }
    }

    func send(_ pieces: [[UInt8]], to sockets: [LWSConnection.Socket]) -> [Int] {
        zip(sockets, pieces).map { $0.offer($1) }
    }
}

/// Makes one system call for up to 128 sockets: io_uring(7), Linux 5.6. Uses `PlainSender` for a few sockets, and for
/// all of them if the kernel stops accepting work.
///
/// The sends carry `MSG_DONTWAIT`, so each has ended when the call returns.
///
/// Safe because the ring is private and freed only in `deinit`, and the kernel holds no buffer after a call.
@safe final class RingSender: BatchSender {
    /// Maximum number of sends in one call.
    private static let entries = 128
    /// With fewer sockets, one system call for each socket costs no more.
    private static let worthwhile = 4

    private let ring: UnsafeMutablePointer<io_uring>
    private let plain = PlainSender()
    private let logger: Logger
    /// The kernel has refused work, so the ring can send nothing more.
    private(set) var isBroken = false

    /// The kernel or a sandbox refuses io_uring, as Docker does since release 25. A retry does not help.
    struct Refused: Error {
        let errorNumber: Int32
    }

    /// Call on the thread that will send, because the kernel's work for a ring interrupts the thread that opened it.
    init(logger: Logger) throws(Refused) {
        self.logger = logger
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

    func send(_ bytes: [UInt8], to sockets: [LWSConnection.Socket]) -> [Int] {
        guard isWorthwhile(sockets.count) else { return plain.send(bytes, to: sockets) }
        return send(bytes, to: sockets) { _ in 0..<bytes.count }
    }

    func send(_ pieces: [[UInt8]], to sockets: [LWSConnection.Socket]) -> [Int] {
        guard isWorthwhile(sockets.count) else { return plain.send(pieces, to: sockets) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        var ends = [0]
        for piece in pieces {
            bytes += piece
            ends.append(bytes.count)
        }
        return send(bytes, to: sockets) { ends[$0]..<ends[$0 + 1] }
    }

    private func isWorthwhile(_ count: Int) -> Bool { count >= Self.worthwhile && !isBroken }

    /// - Parameter part: returns the range of the bytes for the socket at an index.
    private func send(_ bytes: [UInt8], to sockets: [LWSConnection.Socket], part: (Int) -> Range<Int>) -> [Int] {
        var taken = [Int](repeating: 0, count: sockets.count)
        unsafe bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < sockets.count, !isBroken {
                let end = min(start + Self.entries, sockets.count)
                for index in start..<end {
                    let own = unsafe UnsafeRawBufferPointer(rebasing: buffer[part(index)])
                    unsafe prepare(own, to: sockets[index], as: index)
                }
                collect(submit(), into: &taken)
                start = end
            }
        }
        if isBroken { logger.warning("io_uring has failed: each socket is sent to by a system call of its own") }
        return taken
    }

    private func prepare(_ bytes: UnsafeRawBufferPointer, to socket: LWSConnection.Socket, as index: Int) {
        guard let entry = unsafe io_uring_get_sqe(ring) else { return }
        unsafe io_uring_prep_send(entry, socket.descriptor, bytes.baseAddress, bytes.count, listener_send_flags)
        unsafe io_uring_sqe_set_data64(entry, UInt64(index))
    }

    /// Returns how many of the prepared sends the kernel has begun: all of them, unless it has stopped accepting work.
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

    /// Waits until each begun send has ended. Until then the kernel uses the bytes.
    private func collect(_ begun: Int, into taken: inout [Int]) {
        var completed = 0
        while completed < begun {
            var completion: UnsafeMutablePointer<io_uring_cqe>?
            guard unsafe io_uring_wait_cqe(ring, &completion) == 0, let found = unsafe completion else { continue }
            unsafe taken[Int(io_uring_cqe_get_data64(found))] = max(0, Int(found.pointee.res))
            unsafe io_uring_cqe_seen(ring, found)
            completed += 1
        }
    }
}
