import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite("The look whether the disk has space again")
struct ShortageProbeTests {
    private let database: TestDatabase
    private let status = SharedWriterStatus(now: systemNow())
    private let link: WriterConnection

    init() throws {
        database = try TestDatabase()
        link = WriterConnection(
            configuration: database.configuration,
            sharedStatus: status,
            logger: quiet,
            clock: systemNow,
            shouldGiveUp: { false },
            onHead: { _ in },
            onSettled: { _ in }
        )
        link.connectIfDue()
    }

    /// A shortage some time ago, and a look at what became of it.
    private func look() throws {
        _ = try #require(link.connection)
        status.shortage(at: systemNow().adding(seconds: -60))
        link.probeShortage()
    }

    /// Runs a command of PL/pgSQL in the probe's transaction.
    private func atProbe(_ command: String) throws {
        try database.execute(
            """
            CREATE SEQUENCE probed;
            CREATE FUNCTION at_probe() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \(command); END $$;
            CREATE EVENT TRIGGER at_probe ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS')
                EXECUTE FUNCTION at_probe();
            """
        )
    }

    @Test("writes and rolls back")
    func rollsBack() throws {
        // Sequences are not rolled back.
        try atProbe("PERFORM setval('probed', pg_current_xact_id()::text::bigint)")
        try look()
        #expect(status.snapshot.lastShortageAt == nil)
        let outcome = "SELECT pg_xact_status(last_value::text::xid8) FROM probed WHERE is_called"
        #expect(try database.texts(outcome) == ["aborted"])
    }

    @Test("that fails leaves a connection that can be used", arguments: ["53100", "55P03", "42501"])
    func fails(state: String) throws {
        try atProbe("RAISE 'no' USING ERRCODE = '\(state)'")
        try look()
        // Only where the account may not write is the next commit to tell.
        #expect((status.snapshot.lastShortageAt == nil) == (state == "42501"))
        let open: Int64? = try #require(link.connection).query(Statement("one", "SELECT 1::bigint")).firstValue()
        #expect(open == 1)
    }
}
