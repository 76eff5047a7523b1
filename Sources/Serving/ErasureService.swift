package import API
package import Audit
internal import Devices
package import EventIngest
package import EventModel
package import HTTPModel
internal import JSON
internal import Persistence
internal import Workers

extension Feature {
    /// The erasure of a session, a machine or a project.
    package static func erasure(_ service: ErasureService) -> Feature {
        var feature = Feature("erasure")
        feature.routes = ErasureRoutes(erasing: service).routes
        feature.schemas =
            [
                (
                    "Erasure",
                    JSONSchema.object([
                        "session_id?": JSONSchema.bounded(200), "machine_id?": JSONSchema.bounded(200),
                        "project_id?": JSONSchema.bounded(200),
                    ])
                )
            ] + ErasureRoutes.shape.definitions
        return feature
    }
}

/// Erases sessions in the database, in the spool's files and in memory.
package struct ErasureService: Sendable {
    let database: Database
    let spool: EventSpool?
    /// The features that must forget what was erased.
    let features: [Feature]
    /// Has the machines' agents forget what they keep of sessions.
    let forgetOnMachines: @Sendable ([String]) async -> Void
    let loop: RunningLoop
    let audit: AccessAudit

    package init(
        database: Database,
        spool: EventSpool?,
        features: [Feature],
        forgetOnMachines: @escaping @Sendable ([String]) async -> Void,
        loop: RunningLoop,
        audit: AccessAudit
    ) {
        (self.database, self.spool, self.features) = (database, spool, features)
        (self.forgetOnMachines, self.loop, self.audit) = (forgetOnMachines, loop, audit)
    }

    func machine(named name: String) async throws(APIError) -> MachineID? {
        try await database.machine(named: name)
    }

    package func erase(_ scope: ErasureScope, _ caller: Caller) async throws(APIError) -> ErasureReport {
        // Events that wait in the spool are not in the log yet.
        guard (spool?.status.events ?? 0) == 0 else {
            throw .unavailable("spool_not_empty", "The spool has events for the database. Try again.", retryAfter: 5)
        }
        let erasure = try database.erasure()
        var report = try await ErasureService.run(erasure, scope)
        for feature in features { await feature.forgetErased() }
        // An agent that is away is told when it comes back.
        Task { [forgetOnMachines, sessions = report.sessions] in await forgetOnMachines(sessions) }
        loop.forgetErased()
        if let spool {
            var subject = SpoolErasure(sessions: Set(report.sessions), machine: nil)
            if case .machine(let machine) = scope { subject.machine = machine }
            guard await spool.erase(subject) else {
                throw APIError(
                    .internalError,
                    status: 500,
                    code: "spool_not_erased",
                    message: "The file of rejected events cannot be changed. Try again."
                )
            }
            report.damagedSegments = spool.status.counts.damagedSegments
        }
        await audit.record(.erase, on: scope.auditName, report.isEmpty ? .unknown : .granted, caller)
        return report
    }

    private static func run(_ erasure: LogErasure, _ scope: ErasureScope) async throws(APIError) -> ErasureReport {
        do {
            return try await runBlocking { () throws(PersistenceError) in try erasure.run(scope) }
        } catch {
            throw error.apiError
        }
    }
}

extension ErasureScope {
    fileprivate var auditName: String {
        switch self {
        case .session(let id): "session:\(id)"
        case .machine(let machine): "machine:\(machine.rawValue)"
        case .project(let id): "project:\(id)"
        }
    }
}
