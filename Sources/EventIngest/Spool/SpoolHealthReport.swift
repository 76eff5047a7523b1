package import EventModel
package import HTTPModel
package import JSON

/// The state of the spool as text. `nil` if the spool is disabled.
package struct SpoolHealthReport {
    private let status: SpoolStatus?

    package init(status: SpoolStatus?) { self.status = status }

    /// While events wait in the spool, new events must go to the spool as well.
    package var refusesEvents: Bool {
        guard let status, status.events > 0 else { return false }
        return status.state != .ready
    }

    private enum State: String, CaseIterable {
        case off
        case ready
        case full
        case failed
    }

    private var state: State {
        switch status?.state {
        case nil: .off
        case .ready: .ready
        case .full: .full
        case .failed: .failed
        }
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("status", state.rawValue)
        guard let status else { return }
        if case .failed(let reason) = status.state { writer.field("error", reason) }
        writer.field("events", status.events)
        writer.field("bytes", status.bytes)
        writer.field("oldest_waiting", status.oldestWaiting?.description)
        writer.field("file_bytes", status.fileBytes)
        writer.field("limit_bytes", status.byteLimit)
        writer.field("damaged_segments", status.counts.damagedSegments)
        writer.field("rejected_events", status.counts.rejected)
        writer.field("rejected_bytes", status.counts.rejectedBytes)
    }

    package func write(to text: inout PrometheusText, now: Timestamp) {
        text.states(
            "monitor_spool_state",
            "1 for the state the spool is in.",
            State.allCases.map(\.rawValue),
            current: state.rawValue
        )
        guard let status else { return }
        text.gauge("monitor_spool_events", "Events that wait on disk for the database.", Double(status.events))
        text.gauge("monitor_spool_bytes", "Bytes of the events that wait.", Double(status.bytes))
        text.gauge("monitor_spool_file_bytes", "Bytes of the spool's files.", Double(status.fileBytes))
        text.gauge(
            "monitor_spool_oldest_seconds",
            "How long the oldest event has waited.",
            status.oldestWaiting.map { max(0, now.seconds(since: $0)) } ?? 0
        )
        text.gauge("monitor_spool_limit_bytes", "Limit of the spool's bytes.", Double(status.byteLimit))
        text.gauge("monitor_spool_up", "1 while the spool takes events.", status.state == .ready ? 1 : 0)
        text.counter("monitor_spool_replayed_total", "Spooled events that were committed.", status.counts.replayed)
        text.counter(
            "monitor_spool_rejected_total",
            "Spooled events that the database refused for good.",
            status.counts.rejected
        )
        text.gauge(
            "monitor_spool_rejected_bytes",
            "Bytes of the file of rejected events.",
            Double(status.counts.rejectedBytes)
        )
        text.gauge(
            "monitor_spool_damaged_segments",
            "Damaged files set aside.",
            Double(status.counts.damagedSegments)
        )
    }
}
