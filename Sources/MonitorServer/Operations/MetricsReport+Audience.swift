internal import EventModel
internal import HTTPModel
internal import Serving
internal import WSFanout

/// Metrics of subscribers and deliveries.
extension MetricsReport {
    func writeAudience(to text: inout PrometheusText) {
        let listening = routes.audience.now
        text.metric("monitor_subscribers", .gauge, "Connections that follow events.")
        text.sample("monitor_subscribers", labels: [("transport", "websocket")], Double(listening.webSockets))
        text.sample("monitor_subscribers", labels: [("transport", "sse")], Double(listening.eventStreams))
        let sessions = routes.database.sample.sessions
        text.metric("monitor_sessions", .gauge, "Sessions, by status.")
        text.sample("monitor_sessions", labels: [("status", "active")], Double(sessions.active))
        text.sample("monitor_sessions", labels: [("status", "idle")], Double(sessions.idle))
        text.gauge("monitor_sessions_waiting", "Sessions that wait for a person.", Double(sessions.waiting))
        writeLags(to: &text)
        text.gauge(
            "monitor_uptime_seconds",
            "Since the server started.",
            routes.steadyClock().seconds(since: routes.startedAt)
        )
    }

    private func writeLags(to text: inout PrometheusText) {
        let lags = routes.audience.figures.lags
        let figures: [(name: String, help: String, of: (SubscriberLag) -> Double)] = [
            ("following", "Subscribers with a subscription, by client class.", { Double($0.following) }),
            ("behind", "Those that have not got all of the log yet.", { Double($0.behind) }),
            ("lag_events", "Events between the one furthest behind and the end of the log.", { Double($0.longest) }),
        ]
        for figure in figures {
            let name = "monitor_subscribers_\(figure.name)"
            text.metric(name, .gauge, figure.help)
            for transport in Transport.allCases {
                let lag = lags[transport] ?? SubscriberLag()
                text.sample(name, labels: [("class", transport.className)], figure.of(lag))
            }
        }
    }

    func writeDelivery(to text: inout PrometheusText) {
        let figures = routes.audience.figures
        let delivery = figures.delivery
        text.histogram(
            "monitor_fanout_seconds",
            "From a commit to its events being handed to every socket that takes them.",
            figures.fanOutSeconds
        )
        text.counter("monitor_deliveries_total", "Events handed to sockets.", delivery.deliveredEvents)
        text.counter("monitor_delivered_bytes_total", "Bytes of the events handed to sockets.", delivery.deliveredBytes)
        text.metric("monitor_replayed_total", .counter, "Events sent to subscribers that were behind, by source.")
        text.sample("monitor_replayed_total", labels: [("source", "memory")], Double(delivery.replayedFromRing))
        text.sample("monitor_replayed_total", labels: [("source", "database")], Double(delivery.replayedFromStore))
        text.counter(
            "monitor_replay_pages_total",
            "Pages read from the database for subscribers that were behind.",
            delivery.pagesRequested
        )
        text.counter(
            "monitor_replay_pages_shared_total",
            "Subscribers served by a page that was read for another.",
            delivery.pagesShared
        )
        text.counter("monitor_replay_pages_failed_total", "Pages that could not be read.", delivery.pagesFailed)
        text.counter("monitor_slow_closes_total", "Subscribers closed because they did not read.", delivery.slowCloses)
        text.counter("monitor_place_gone_closes_total", "Subscribers whose place is gone.", delivery.placeGoneCloses)
    }
}

extension Transport {
    fileprivate var className: String {
        switch self {
        case .jsonRPC: "jsonrpc"
        case .dialect: "cdev"
        case .dialectAlone: "cdev_alone"
        case .plainWebSocket: "plain"
        case .serverSentEvents: "sse"
        }
    }
}
