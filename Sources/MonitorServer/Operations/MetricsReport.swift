internal import API
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Host
internal import Persistence
internal import Serving

/// The content of `/metrics`.
struct MetricsReport {
    let routes: OperatorRoutes
    let features: [Feature]

    var text: String {
        var text = PrometheusText()
        writeIngest(to: &text)
        writeDatabase(to: &text)
        SpoolHealthReport(status: routes.spool?.status).write(to: &text, now: routes.clock())
        writeAudience(to: &text)
        writeDelivery(to: &text)
        ProcessFigures(dataDirectory: routes.dataDirectory).write(to: &text)
        for feature in features { feature.metrics(&text) }
        return text.text
    }

    private func writeIngest(to text: inout PrometheusText) {
        let counts = routes.metrics.snapshot
        text.metric("monitor_events_total", .counter, "Events posted, by outcome.")
        for (outcome, count) in [
            ("accepted", counts.accepted), ("duplicate", counts.duplicates), ("rejected", counts.rejected),
            ("unavailable", counts.unavailable), ("spooled", counts.spooled),
        ] {
            text.sample("monitor_events_total", labels: [("outcome", outcome)], Double(count))
        }
        text.counter(
            "monitor_telemetry_dropped_total",
            "Telemetry records and spans that were accepted and not stored.",
            counts.telemetryDropped
        )
        text.metric("monitor_http_responses_total", .counter, "Answers, by route and status.")
        for (label, count) in counts.requests.sorted(by: {
            ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
        }) {
            text.sample(
                "monitor_http_responses_total",
                labels: [("route", label.route), ("status", String(label.status))],
                Double(count)
            )
        }
        text.counter(
            "monitor_refused_logins_total",
            "Requests with a missing, wrong or insufficient credential.",
            counts.refusedLogins
        )
        text.counter("monitor_rate_limited_total", "Requests refused by the rate limit.", counts.rateLimited)
        text.metric("monitor_connections_refused_total", .counter, "Connections closed unread, by reason.")
        for (reason, count) in counts.turnedAway.sorted(by: { $0.key < $1.key }) {
            text.sample("monitor_connections_refused_total", labels: [("reason", reason)], Double(count))
        }
        text.histogram(
            "monitor_commit_seconds",
            "From the whole request to the answer after its commit.",
            counts.commitLatency
        )
        text.histogram("monitor_commit_events", "Events in each commit.", counts.batchEvents)
        text.histogram(
            "monitor_commit_queue_bytes",
            "Bytes of events that had queued behind each commit when it was done.",
            counts.queuedBytes
        )
    }

    private func writeDatabase(to text: inout PrometheusText) {
        let condition = DatabaseCondition(routes.database.state, now: routes.clock())
        text.gauge("monitor_database_up", "1 while events can be committed.", condition.isHealthy ? 1 : 0)
        text.states(
            "monitor_database_state",
            "1 for the state the database is in.",
            DatabaseCondition.Status.allCases.map(\.rawValue),
            current: condition.status.rawValue
        )
        if let takenAt = routes.database.sample.takenAt {
            text.gauge(
                "monitor_database_read_age_seconds",
                "Since the database last answered a read.",
                routes.steadyClock().seconds(since: takenAt)
            )
        }
        guard case .ready(let workers) = routes.database.state else { return }
        let status = workers.writer.status
        text.gauge(
            "monitor_writer_queue_bytes",
            "Bytes of events that wait for their commit.",
            Double(status.queuedBytes)
        )
        text.counter("monitor_writer_batches_total", "Transactions committed.", status.batches)
        text.counter("monitor_writer_connections_total", "Connections made to the database.", status.connections)
        text.metric("monitor_writer_commit_seconds_total", .counter, "Time spent in commits.")
        text.sample("monitor_writer_commit_seconds_total", Double(status.totalCommitMicroseconds) / 1_000_000)
        writeMaintenance(workers.maintenance.status, to: &text)
    }

    private func writeMaintenance(_ status: MaintenanceWorker.Status, to text: inout PrometheusText) {
        text.counter(
            "monitor_maintenance_failures_total",
            "Maintenance runs (partitions, retention) that failed.",
            status.failures
        )
        guard let last = status.lastSuccess else { return }
        text.gauge(
            "monitor_maintenance_age_seconds",
            "Seconds since the last successful maintenance run.",
            max(0, routes.clock().seconds(since: last))
        )
    }
}
