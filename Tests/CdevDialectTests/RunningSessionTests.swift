import EventModel
import FanoutSamples
import Sessions
import Testing
import WSFanout

@testable import CdevDialect

@Suite("Which sessions run")
struct RunningSessionTests {
    @Test(
        "in cdev's dialect, those that take messages",
        arguments: [
            // Seconds since the last event, whether the machine takes messages, in cdev's dialect, else.
            (1.0, true, true, true), (600.0, true, true, false), (100_000.0, true, false, false),
            (1.0, false, false, true), (600.0, false, false, false), (1.0, nil, true, true), (600.0, nil, false, false),
        ] as [(Double, Bool?, Bool, Bool)]
    )
    func running(quiet: Double, accepts: Bool?, cdev: Bool, plain: Bool) throws {
        var session = try #require(foldedSession("s1", ["SessionStart"], quiet: quiet))
        session.acceptsMessages = accepts
        for (dialect, expected) in [(Dialect.cdev, cdev), (.plain, plain)] {
            let view = SessionView(session: session, now: start, presence: Presence(), dialect: dialect)
            #expect(view.isRunning == expected)
        }
    }

    @Test("one that asks runs in any case, and one that has ended never")
    func waiting() throws {
        var asking = try #require(foldedSession("s1", ["PermissionRequest"], tool: "Bash"))
        asking.acceptsMessages = false
        #expect(SessionView(session: asking, now: start, presence: Presence(), dialect: .cdev).isRunning)
        var ended = try #require(foldedSession("s1", ["SessionStart", "SessionEnd"]))
        ended.acceptsMessages = false
        #expect(!SessionView(session: ended, now: start, presence: Presence(), dialect: .cdev).isRunning)
    }
}
