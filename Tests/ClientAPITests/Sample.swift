import API
import ClientAPI
import DatabaseSamples
import EventIngest
import EventModel

enum Sample {
    static let time = Timestamp(microseconds: 1_767_607_200_000_000)

    /// A store whose log holds these events, from the machine "studio".
    static func store(_ events: [MonitorEvent] = []) async throws -> TestStore {
        let store = try TestStore()
        _ = try store.database.makeMachine()
        if !events.isEmpty { try await store.append(events) }
        return store
    }

    /// A tool call, at the sample time unless told.
    static func event(_ number: UInt64, _ session: String = "s1", after seconds: Double = 0) -> MonitorEvent {
        makeEvent(
            id: number,
            session: session,
            at: time.adding(seconds: seconds),
            payload: Array(#"{"tool_name":"Bash"}"#.utf8)
        )
    }

    static func message(_ number: UInt64, _ hook: String, _ payload: String, in session: String = "s1") -> MonitorEvent
    {
        makeEvent(id: number, session: session, hook: hook, at: time, tool: nil, payload: Array(payload.utf8))
    }
}

extension TestStore {
    /// The routes of sessions, events and projects, at the sample time.
    var routes: [Route] {
        let pipeline = IngestPipeline(spool: nil, writer: { nil }, flush: {})
        let effects = EffectCounter { _, _ in }
        let drive = SessionDriver { _, _, _, _ in }
        return Feature.sessions(
            self,
            pipeline: pipeline,
            drive: drive,
            effects: effects,
            eraser: ProjectEraser(),
            clock: { Sample.time }
        ).routes
    }
}
