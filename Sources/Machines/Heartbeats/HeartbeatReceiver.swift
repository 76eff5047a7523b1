package import EventIngest
package import EventModel
package import HTTPModel
internal import JSON
package import Persistence
internal import Sessions

/// Receives heartbeats. Adds an event for each session whose process has ended without a SessionEnd hook, for example
/// because it was killed or has crashed. Also adds an event for each session that is idle although no hook has ended
/// its turn, because a person pressed Esc.
package struct HeartbeatReceiver: Sendable {
    private let pipeline: IngestPipeline
    private let store: @Sendable () throws(APIError) -> PostgresStore

    /// - Parameter store: throws while the database is unavailable.
    package init(pipeline: IngestPipeline, store: @escaping @Sendable () throws(APIError) -> PostgresStore) {
        self.pipeline = pipeline
        self.store = store
    }

    /// The heartbeat is recorded only after the events about ended sessions are stored, so no such event is lost.
    package func receive(_ beat: Heartbeat, from machine: MachineID, named name: String) async throws(APIError) {
        let store = try store()
        do throws(PersistenceError) {
            let before = try await store.heartbeat(of: machine)
            let gone = beat.gone(since: before)
            let known = try await store.sessions(named: gone + beat.idle.keys, of: machine)
            // A parked session has no process, and goes on.
            let lost = gone.filter { known[$0]?.endedAt == nil && known[$0]?.isParked != true }
            var events = lost.map { session in
                HeartbeatReceiver.gone(session, before?.at ?? beat.at, beat, machine, name)
            }
            for (session, since) in beat.idle.sorted(by: { $0.key < $1.key }) {
                guard known[session]?.isInTurn(at: since) ?? false else { continue }
                events.append(HeartbeatReceiver.idle(session, since, beat, machine, name))
            }
            if !events.isEmpty {
                for case .unavailable(let error) in await pipeline.submit(events) {
                    throw PersistenceError(.connectionLost, error.message)
                }
            }
            try await store.keepHeartbeat(beat, of: machine)
        } catch {
            throw .databaseUnavailable(retryAfter: 2)
        }
    }

    private static func idle(
        _ session: String,
        _ since: Timestamp,
        _ beat: Heartbeat,
        _ machine: MachineID,
        _ name: String
    ) -> MonitorEvent {
        MonitorEvent(
            id: EventID(name: "idle \(session) \(since.microseconds)", machine: machine),
            type: .sessionInterrupted,
            hookEventName: nil,
            timestamp: since,
            receivedAt: beat.at,
            machine: machine,
            machineName: name,
            sessionID: session,
            projectPath: nil,
            toolName: nil,
            summary: "Claude Code is idle, and no hook has told the turn's end",
            payload: Array(#"{"by":"terminal","evidence":"status"}"#.utf8),
            facts: SessionFacts(detail: MonitorEvent.idleByRegistry)
        )
    }

    private static func gone(
        _ session: String,
        _ lastSeen: Timestamp,
        _ beat: Heartbeat,
        _ machine: MachineID,
        _ name: String
    ) -> MonitorEvent {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("session_id", session)
        writer.field("last_seen_at", lastSeen.description)
        writer.endObject()
        return MonitorEvent(
            id: EventID(name: "gone \(session) \(lastSeen.microseconds)", machine: machine),
            type: .sessionGone,
            hookEventName: nil,
            timestamp: beat.at,
            receivedAt: beat.at,
            machine: machine,
            machineName: name,
            sessionID: session,
            projectPath: nil,
            toolName: nil,
            summary: "the session's process has gone",
            payload: writer.bytes,
            facts: SessionFacts(detail: "gone")
        )
    }
}
