internal import EventModel
internal import HTTPModel
internal import Synchronization
internal import Workers

/// Limits each machine's share of the events that wait for their commit or their write to the spool. A machine that
/// posts without pause must wait before other machines do. Safe from any thread.
final class IngestShares: Sendable {
    /// Limit in bytes, as for the writer's queue.
    private static let bytes = 64 << 20
    /// Limit in requests; enough for several commits.
    private static let requests = 4096

    private let shares = Mutex(FairShare<MachineID>(bytes: bytes, pieces: requests))

    /// Called with the head of a request, before its body is read.
    func check(_ bytes: Int, from machine: MachineID) throws(APIError) {
        guard shares.withLock({ $0.hasRoom(for: bytes, from: machine) }) else { throw .shareFull }
    }

    /// The share is held until the last reference to the lease is released, when the request has been answered.
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
