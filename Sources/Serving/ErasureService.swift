package import Audit
package import ClientAPI
internal import Completeness
internal import Devices
package import EventIngest
package import EventModel
package import HTTPModel
internal import Heartbeats
package import Interaction
internal import Notifications
internal import Persistence
internal import Search
package import Transcripts
internal import Usage
internal import Workers

/// Erases sessions in the database, in the spool's files and in memory.
package struct ErasureService: Erasing {
    /// The erasure steps for what the features have stored.
    static let steps: [ErasureStep] =
        TranscriptErasure.steps + UsageErasure.steps + SearchErasure.steps + HeartbeatErasure.steps
        + InteractionErasure.steps + NotificationErasure.steps + CompletenessErasure.steps

    let database: Database
    let spool: EventSpool?
    let transcripts: TranscriptReceiver
    let interaction: InteractionService
    let loop: RunningLoop
    let audit: AccessAudit

    package init(
        database: Database,
        spool: EventSpool?,
        transcripts: TranscriptReceiver,
        interaction: InteractionService,
        loop: RunningLoop,
        audit: AccessAudit
    ) {
        (self.database, self.spool, self.transcripts) = (database, spool, transcripts)
        (self.interaction, self.loop, self.audit) = (interaction, loop, audit)
    }

    package func machine(named name: String) async throws(APIError) -> MachineID? {
        try await database.machine(named: name)
    }

    package func erase(_ scope: ErasureScope, _ caller: Caller) async throws(APIError) -> ErasureReport {
        // Events that wait in the spool are not in the log yet.
        guard (spool?.status.events ?? 0) == 0 else {
            throw .unavailable("spool_not_empty", "The spool has events for the database. Try again.", retryAfter: 5)
        }
        let erasure = try database.erasure()
        var report = try await ErasureService.run(erasure, scope)
        await transcripts.forgetLines()
        await interaction.forgetErased()
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
