internal import EventModel
internal import EventSpool
internal import JSON

/// The spool's state in words. `nil` where it is switched off.
struct SpoolCondition {
    let status: SpoolStatus?

    func write(to writer: inout JSONWriter) {
        guard let status else { return writer.field("status", "off") }
        switch status.state {
        case .ready: writer.field("status", "ready")
        case .full: writer.field("status", "full")
        case .failed(let reason):
            writer.field("status", "failed")
            writer.field("error", reason)
        }
        writer.field("events", status.events)
        writer.field("bytes", status.bytes)
        writer.field("oldest_waiting", status.oldestWaiting?.description)
        writer.field("file_bytes", status.fileBytes)
        writer.field("limit_bytes", status.byteLimit)
        writer.field("damaged_segments", status.counts.damagedSegments)
        writer.field("rejected_events", status.counts.rejected)
    }

    func write(to text: inout PrometheusText, now: Timestamp) {
        guard let status else { return }
        text.gauge("monitor_spool_events", "Events that wait on disk for the database.", Double(status.events))
        text.gauge("monitor_spool_bytes", "Bytes of the events that wait.", Double(status.bytes))
        text.gauge("monitor_spool_file_bytes", "Bytes of the spool's files.", Double(status.fileBytes))
        text.gauge(
            "monitor_spool_oldest_seconds",
            "How long the oldest event has waited.",
            status.oldestWaiting.map { max(0, now.seconds(since: $0)) } ?? 0
        )
        text.gauge("monitor_spool_up", "1 while the spool takes events.", status.state == .ready ? 1 : 0)
        text.counter("monitor_spool_replayed_total", "Spooled events that were committed.", status.counts.replayed)
        text.counter(
            "monitor_spool_rejected_total",
            "Spooled events that the database refused for good.",
            status.counts.rejected
        )
        text.gauge(
            "monitor_spool_damaged_segments",
            "Damaged files set aside.",
            Double(status.counts.damagedSegments)
        )
    }
}
