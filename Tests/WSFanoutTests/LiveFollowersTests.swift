import EventModel
import Testing

@testable import WSFanout

struct LiveFollowersTests {
    private let text = LiveStream(.messagePartial, of: "s")
    private let screen = LiveStream(.ptyOutput, of: "s")

    private func followers(_ filters: EventFilter...) -> LiveFollowers<Int> {
        var followers = LiveFollowers<Int>()
        for (number, filter) in filters.enumerated() { followers.add(number, filter) }
        return followers
    }

    @Test("a terminal's output goes only to those that name its type")
    func types() {
        var followers = followers(
            EventFilter(sessionID: "s"),
            EventFilter(sessionID: "s", types: [.ptyOutput]),
            EventFilter(sessionID: "other", types: [.ptyOutput]),
            EventFilter(types: [.ptyOutput])
        )
        #expect(followers.take(of: text) { _ in false }.piece == [0])
        #expect(followers.take(of: screen) { _ in false }.piece == [1])
        #expect(followers.take(of: screen, isAllowed: { $0 != 1 }, isBlocked: { _ in false }).piece.isEmpty)
    }

    @Test("who misses a piece gets all: with the next piece, or when there is room")
    func missed() {
        var followers = followers(EventFilter(sessionID: "s"), EventFilter(sessionID: "s"))
        #expect(followers.take(of: text) { $0 == 1 }.piece == [0])
        let next = followers.take(of: text) { _ in false }
        #expect(next.piece == [0] && next.whole == [1])
        _ = followers.take(of: text) { $0 == 1 }
        #expect(followers.takeMissed(by: 1) == [text])
        #expect(followers.takeMissed(by: 1).isEmpty && followers.takeMissed(by: 0).isEmpty)
        #expect(followers.take(of: text) { _ in false }.piece == [0, 1])
    }

    @Test("who has gone gets nothing")
    func removed() {
        var followers = followers(EventFilter(sessionID: "s"))
        _ = followers.take(of: text) { _ in true }
        followers.remove(0)
        let takers = followers.take(of: text) { _ in false }
        #expect(takers.piece.isEmpty && takers.whole.isEmpty && followers.takeMissed(by: 0).isEmpty)
    }
}
