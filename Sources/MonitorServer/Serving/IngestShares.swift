internal import EventModel
internal import HTTPModel
internal import Synchronization
internal import Workers

/// How much of what waits for its commit, or for its write to the spool, belongs to which machine: one that posts
/// without end is told to wait before the others are. Any thread.
final class IngestShares: Sendable {
    /// Of the writer's queue.
    private static let bytes = 64 << 20
    /// Requests; some commits' worth.
    private static let requests = 4096

    private let shares = Mutex(FairShare<MachineID>(bytes: bytes, pieces: requests))

    /// At the head of a request, before its body is read.
    func check(_ bytes: Int, from machine: MachineID) throws(APIError) {
        guard shares.withLock({ $0.hasRoom(for: bytes, from: machine) }) else { throw .shareFull }
    }

    /// Held until the last reference to the lease goes, which is when the request has its answer.
    func lease(_ events: [MonitorEvent], from machine: MachineID) throws(APIError) -> Lease {
        let bytes = events.payloadBytes + 512 * events.count
        guard shares.withLock({ $0.take(bytes, from: machine) }) else { throw .shareFull }
        return Lease(shares: self, machine: machine, bytes: bytes)
    }

    final class Lease: Sendable {
        private let shares: IngestShares
        private let machine: MachineID
        private let bytes: Int

        fileprivate init(shares: IngestShares, machine: MachineID, bytes: Int) {
            self.shares = shares
            self.machine = machine
            self.bytes = bytes
        }

        deinit { shares.shares.withLock { $0.giveBack(bytes, to: machine) } }
    }
}

extension APIError {
    fileprivate static let shareFull = APIError.unavailable(
        "share_full",
        "Too many events of this machine are waiting. Nothing was stored.",
        retryAfter: 1
    )
}
