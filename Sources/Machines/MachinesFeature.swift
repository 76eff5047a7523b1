package import API
package import EventModel
internal import JSON
package import Logging
package import Persistence

extension Feature {
    /// The machines: their clocks, which of their sessions are alive, and which of their events have arrived.
    package static func machines(
        _ database: any StoreAccess,
        receiver: HeartbeatReceiver,
        reports: MachineReports,
        agents: @escaping AgentReader,
        releases: AgentReleases,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) -> Feature {
        var feature = Feature("machines")
        feature.routes =
            MachineRoutes(database: database, reports: reports, agents: agents, releases: releases, clock: clock).routes
            + HeartbeatRoutes(receiver: receiver, clock: clock).routes
        feature.schemas =
            [
                ("MachinePage", JSONSchema.page("machines", "Machine")), ("HookAnswer", JSONSchema.any),
                (
                    "Heartbeat",
                    JSONSchema.object([
                        "approvals?": JSONSchema.nullable(MachineApprovals.requestSchema),
                        "sessions": JSONSchema.array(
                            JSONSchema.object([
                                "session_id?": JSONSchema.bounded(200), "status?": JSONSchema.text,
                                "status_updated_at_ms?": JSONSchema.count,
                            ])
                        ),
                    ])
                ),
            ] + ListedMachine.shape.definitions
        feature.projections = [CompletenessProjection.source(logger: logger)]
        feature.erasure = HeartbeatErasure.steps + CompletenessErasure.steps
        return feature
    }
}
