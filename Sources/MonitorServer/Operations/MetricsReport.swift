internal import EventModel
internal import EventSpool
internal import Persistence
internal import WSFanout

/// Everything that `/metrics` shows.
struct MetricsReport {
    let routes: OperatorRoutes

    var text: String {
        var text = PrometheusText()
        writeIngest(to: &text)
        writeDatabase(to: &text)
        SpoolCondition(status: routes.spool?.status).write(to: &text, now: routes.clock())
        writeAudience(to: &text)
        PushCondition(routes.push, now: routes.clock()).write(to: &text)
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
        text.counter("monitor_rate_limited_total", "Posts refused by the rate limit.", counts.rateLimited)
        text.histogram(
            "monitor_commit_seconds",
            "From the whole request to the answer after its commit.",
            counts.commitLatency
        )
    }

    private func writeDatabase(to text: inout PrometheusText) {
        let condition = DatabaseCondition(routes.database.state)
        text.gauge("monitor_database_up", "1 while events can be committed.", condition.isHealthy ? 1 : 0)
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
    }

    private func writeAudience(to text: inout PrometheusText) {
        let listening = routes.audience.now
        text.metric("monitor_subscribers", .gauge, "Connections that follow events.")
        text.sample("monitor_subscribers", labels: [("transport", "websocket")], Double(listening.webSockets))
        text.sample("monitor_subscribers", labels: [("transport", "sse")], Double(listening.eventStreams))
        let statistics = routes.database.sample.statistics
        text.metric("monitor_sessions", .gauge, "Sessions, by status.")
        text.sample("monitor_sessions", labels: [("status", "active")], Double(statistics.activeSessions))
        text.sample("monitor_sessions", labels: [("status", "idle")], Double(statistics.idleSessions))
        text.gauge("monitor_sessions_waiting", "Sessions that wait for a person.", Double(statistics.waitingSessions))
        writeDelivery(to: &text)
        text.gauge(
            "monitor_uptime_seconds",
            "Since the server started.",
            routes.clock().seconds(since: routes.startedAt)
        )
    }

    private func writeDelivery(to text: inout PrometheusText) {
        let delivery = routes.audience.delivery
        text.counter("monitor_deliveries_total", "Events handed to sockets.", delivery.deliveredEvents)
        text.counter("monitor_delivered_bytes_total", "Bytes of those events.", delivery.deliveredBytes)
        text.metric("monitor_replayed_total", .counter, "Events sent to subscribers that were behind, by source.")
        text.sample("monitor_replayed_total", labels: [("source", "memory")], Double(delivery.replayedFromRing))
        text.sample("monitor_replayed_total", labels: [("source", "database")], Double(delivery.replayedFromStore))
        text.counter("monitor_replay_pages_total", "Pages read from the database for them.", delivery.pagesRequested)
        text.counter("monitor_replay_pages_shared_total", "Pages that served one more of them.", delivery.pagesShared)
        text.counter("monitor_replay_pages_failed_total", "Pages that could not be read.", delivery.pagesFailed)
        text.counter("monitor_slow_closes_total", "Subscribers closed because they did not read.", delivery.slowCloses)
        text.counter("monitor_place_gone_closes_total", "Subscribers whose place is gone.", delivery.placeGoneCloses)
    }
}
