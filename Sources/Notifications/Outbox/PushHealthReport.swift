package import EventModel
package import HTTPModel
package import JSON
internal import PushGateway

/// The state of push delivery, as text and as numbers.
package struct PushHealthReport {
    /// Seconds that a due delivery may wait before this counts as a problem.
    static let lateSeconds = 60.0

    private let dispatcher: PushDispatcher?
    private let now: Timestamp
    private let backlog: OutboxBacklog?
    private let breakers: [(channel: String, until: Timestamp, cause: String)]
    private let probe: DeliveryProbeState?
    private let transports: [(channel: String, status: PushStatus)]

    package init(_ dispatcher: PushDispatcher?, now: Timestamp) {
        self.dispatcher = dispatcher
        self.now = now
        backlog = dispatcher?.backlog
        breakers = dispatcher?.inFlight.openBreakers(at: now) ?? []
        probe = dispatcher?.probe?.state(now: now)
        transports = dispatcher?.environment.transports.statuses ?? []
    }

    private var oldestDueSeconds: Double? {
        backlog?.oldestDue.map { max(0, now.seconds(since: $0)) }
    }

    private var isHealthy: Bool {
        breakers.isEmpty && (backlog?.heldUp ?? 0) == 0 && (oldestDueSeconds ?? 0) < PushHealthReport.lateSeconds
    }

    package func write(to writer: inout JSONWriter, withCauses: Bool) {
        guard let dispatcher else { return writer.field("status", "off") }
        writer.field("status", isHealthy && probe?.verdict != .failing ? "healthy" : "degraded")
        writer.field("last_success", dispatcher.inFlight.lastSentAt?.description)
        writer.field("waiting", backlog?.waiting)
        writer.field("held_up", backlog?.heldUp)
        writer.field("in_flight", dispatcher.inFlight.count)
        writer.field("oldest_due_seconds", oldestDueSeconds)
        writer.beginArray("breakers")
        for breaker in breakers {
            writer.beginObject()
            // The rest of the name contains hosts that devices use.
            writer.field("channel", withCauses ? breaker.channel : PushHealthReport.kind(ofChannel: breaker.channel))
            writer.field("until", breaker.until.description)
            if withCauses { writer.field("cause", breaker.cause) }
            writer.endObject()
        }
        writer.endArray()
        if let probe { write(probe, to: &writer, withCauses: withCauses) }
        guard withCauses else { return }
        writer.beginArray("failures")
        for (channel, status) in transports {
            guard let failure = status.lastFailure else { continue }
            writer.beginObject()
            writer.field("channel", channel)
            writer.field("error", failure)
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ probe: DeliveryProbeState, to writer: inout JSONWriter, withCauses: Bool) {
        writer.beginObject("canary")
        writer.field("status", probe.verdict.rawValue)
        writer.field("last_success", probe.lastSuccess?.description)
        if withCauses {
            writer.field("code", probe.failure?.code)
            writer.field("reason", probe.failure?.reason)
        }
        writer.endObject()
    }

    static func kind(ofChannel channel: String) -> String { String(channel.prefix { $0 != ":" }) }

    package func write(to text: inout PrometheusText) {
        text.gauge("monitor_push_up", "1 while pushes can leave.", dispatcher != nil && isHealthy ? 1 : 0)
        guard let dispatcher else { return }
        text.metric("monitor_pushes_total", .counter, "Deliveries decided by this server, by what became of them.")
        for (end, count) in dispatcher.environment.counts.now.sorted(by: {
            ($0.key.kind, $0.key.state.rawValue, $0.key.code) < ($1.key.kind, $1.key.state.rawValue, $1.key.code)
        }) {
            let labels = [("kind", end.kind), ("outcome", end.state.rawValue), ("reason", end.code)]
            text.sample("monitor_pushes_total", labels: labels, Double(count))
        }
        text.gauge("monitor_push_waiting", "Deliveries in the outbox.", Double(backlog?.waiting ?? 0))
        text.gauge(
            "monitor_push_held_up",
            "Deliveries that wait because a push service cannot be used, or fails again and again.",
            Double(backlog?.heldUp ?? 0)
        )
        text.gauge(
            "monitor_push_oldest_due_seconds",
            "How long the oldest delivery that is due has waited.",
            oldestDueSeconds ?? 0
        )
        text.gauge("monitor_push_in_flight", "Pushes handed over and not settled.", Double(dispatcher.inFlight.count))
        text.gauge("monitor_push_breakers_open", "Channels suspended after repeated failures.", Double(breakers.count))
        text.gauge(
            "monitor_push_last_success_seconds",
            "Since the last push that was taken; -1: none yet.",
            dispatcher.inFlight.lastSentAt.map { max(0, now.seconds(since: $0)) } ?? -1
        )
        text.gauge(
            "monitor_push_provider_token_seconds",
            "Age of the token that proves this server to Apple; -1: none yet.",
            dispatcher.environment.transports.providerTokenAge ?? -1
        )
        writeProbe(to: &text)
        text.metric("monitor_push_tokens", .gauge, "Registered push tokens, by kind and state.")
        for tokens in backlog?.tokens ?? [] {
            text.sample(
                "monitor_push_tokens",
                labels: [("kind", tokens.kind), ("state", tokens.state)],
                Double(tokens.count)
            )
        }
        writeTransports(to: &text)
    }

    private func writeProbe(to text: inout PrometheusText) {
        guard let probe else { return }
        text.gauge(
            "monitor_push_canary_up",
            "1 if the push service took the latest canary.",
            probe.verdict == .failing ? 0 : 1
        )
        text.gauge(
            "monitor_push_canary_last_success_seconds",
            "Since a canary was last taken; -1: none yet.",
            probe.lastSuccess.map { max(0, now.seconds(since: $0)) } ?? -1
        )
    }

    private func writeTransports(to text: inout PrometheusText) {
        let numbers: [(String, PrometheusText.Kind, String, (PushStatus) -> Int)] = [
            ("monitor_push_connections", .gauge, "Connections to push services.", \.connections),
            ("monitor_push_connections_opened_total", .counter, "Connections made.", \.connectionsOpened),
            ("monitor_push_connections_failed_total", .counter, "Connections not made.", \.connectionsFailed),
            ("monitor_push_retries_total", .counter, "Pushes that were sent once more at once.", \.retries),
            ("monitor_push_goaways_total", .counter, "Connections that the service asked to leave.", \.goAways),
        ]
        for (name, kind, help, value) in numbers {
            text.metric(name, kind, help)
            for (channel, status) in transports {
                text.sample(name, labels: [("channel", channel)], Double(value(status)))
            }
        }
    }
}
