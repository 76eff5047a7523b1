package import EventModel
internal import Synchronization

/// The clocks and hook versions of the machines that have posted to this server since its start, from the headers of
/// their requests. Any thread.
package final class MachineReports: Sendable {
    /// The request header with the machine's time, in RFC 3339.
    package static let timeHeader = "x-machine-time"
    /// The request header with the version of the hooks: `claude-monitor-hooks/1.2.3`.
    package static let agentHeader = "user-agent"
    /// Maximum number of machines. Further machines are ignored.
    static let maxMachines = 10_000
    /// Offsets of fewer seconds may come from a slow request, and do not matter.
    private static let tolerance = 30.0
    private static let maxTimeBytes = 40
    private static let agentPrefix = "claude-monitor-hooks/"
    private static let versionBytes = 1...32

    private struct Report {
        var clock = MachineClock()
        var hooksVersion: String?
    }

    private let reports = Mutex<[MachineID: Report]>([:])

    package init() {}

    /// Reads the headers of a request. Ignores a time that is not in RFC 3339, and a user agent other than the hooks.
    ///
    /// - Parameters:
    ///   - server: the server's time.
    ///   - steady: the same moment on a monotonic clock.
    package func note(
        time: String?,
        agent: String?,
        from machine: MachineID,
        at server: Timestamp,
        steady: Timestamp
    ) {
        guard let time, time.utf8.count <= MachineReports.maxTimeBytes else { return }
        reports.withLock { reports in
            guard reports[machine]?.clock.isDue(steady: steady) ?? (reports.count < MachineReports.maxMachines),
                let stated = Timestamp(rfc3339: time)
            else { return }
            var report = reports[machine] ?? Report()
            report.clock.take(stated, at: server, steady: steady)
            if let version = MachineReports.version(agent) { report.hooksVersion = version }
            reports[machine] = report
        }
    }

    /// `nil` if the machine has not sent its time to this server.
    package func clock(of machine: MachineID) -> MachineClock.Reading? {
        reports.withLock { $0[machine]?.clock.reading }
    }

    /// The number of seconds by which the machine's clock is ahead of the server's, negative if it is behind. `nil` if
    /// it is right within `tolerance`, or unknown.
    package func wrongClock(of machine: MachineID) -> Double? {
        guard let offset = clock(of: machine)?.offsetSeconds, abs(offset) >= MachineReports.tolerance
        else { return nil }
        return (offset * 1000).rounded() / 1000
    }

    /// `nil` if the machine's hooks have not sent their version to this server.
    package func hooksVersion(of machine: MachineID) -> String? {
        reports.withLock { $0[machine]?.hooksVersion }
    }

    private static func version(_ agent: String?) -> String? {
        guard let agent, agent.hasPrefix(agentPrefix) else { return nil }
        let version = agent.dropFirst(agentPrefix.count)
        let isPlain = version.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        return isPlain && versionBytes.contains(version.utf8.count) ? String(version) : nil
    }
}
