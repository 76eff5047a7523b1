import EventModel
import HTTPModel
import Testing

@testable import EventIngest

@Suite("Events that must be in the log")
struct UnspooledEventsTests {
    @Test("they are refused, and not spooled, while no event can be committed")
    func refused() async throws {
        let directory = TemporaryDirectory()
        let spool = try EventSpool.started(directory)
        defer { spool.stop() }
        let pipeline = IngestPipeline(spool: spool, writer: { nil }, flush: {})
        let error = await pipeline.commit([Samples.event(1)])
        #expect(error?.status == 503 && spool.status.events == 0)
        let outcomes = await pipeline.submit([Samples.event(1)])
        #expect(outcomes == [.spooled] && spool.status.events == 1)
    }
}
