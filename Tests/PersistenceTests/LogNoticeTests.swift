import EventModel
import Testing

@testable import Persistence

@Suite struct LogNoticeTests {
    @Test(
        arguments: [
            .present("k3"), .reached(StreamPosition(epoch: "9f-1", seq: 42), by: "k3"),
            .awaited(projection: "sessions"),
            .yield(projection: "push"), .changed("messages"), .erased(sessions: nil), .erased(sessions: ["a", "b@2"]),
        ] as [LogNotice]
    )
    func aNoticeIsReadAsItWasSent(_ notice: LogNotice) {
        #expect(LogNotice(payload: notice.payload) == notice)
    }

    @Test(arguments: ["", "present", "present a b", "reached a e", "reached a e x", "unknown a"])
    func otherTextsAreIgnored(_ payload: String) {
        #expect(LogNotice(payload: payload) == nil)
    }
}
