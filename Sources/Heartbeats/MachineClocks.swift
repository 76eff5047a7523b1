package import EventModel
internal import Synchronization

/// The clocks of the machines that have posted to this server since its start. Any thread.
package final class MachineClocks: Sendable {
    /// The request header with the machine's time, in RFC 3339.
    package static let header = "x-machine-time"
    /// Further machines are not measured.
    static let maxMachines = 10_000
    private static let maxHeaderBytes = 40

    private let clocks = Mutex<[MachineID: MachineClock]>([:])

    package init() {}

    /// A request of the machine has arrived. A header that states no time is ignored.
    ///
    /// - Parameters:
    ///   - server: the server's time.
    ///   - steady: the same on a clock that nobody sets.
    package func note(_ header: String?, from machine: MachineID, at server: Timestamp, steady: Timestamp) {
        guard let header, header.utf8.count <= MachineClocks.maxHeaderBytes else { return }
        clocks.withLock { clocks in
            guard clocks[machine]?.isDue(steady: steady) ?? (clocks.count < MachineClocks.maxMachines),
                let stated = Timestamp(rfc3339: header)
            else { return }
            clocks[machine, default: MachineClock()].take(stated, at: server, steady: steady)
        }
    }

    /// `nil` if the machine has stated no time to this server.
    package func reading(of machine: MachineID) -> MachineClock.Reading? {
        clocks.withLock { $0[machine]?.reading }
    }
}
