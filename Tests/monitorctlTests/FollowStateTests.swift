import Testing

@testable import monitorctl

struct FollowStateTests {
    private func message(_ id: String?, event: String = "tool") -> ServerSentEvents.Message {
        ServerSentEvents.Message(event: event, data: id ?? "none", lastEventID: id)
    }

    @Test func positionReadsItsLastColon() {
        #expect(LogPosition("a:b:12") == LogPosition(epoch: "a:b", seq: 12))
        for bad in ["", "12", ":12", "e:", "e:-1", "e:x"] { #expect(LogPosition(bad) == nil, "\(bad)") }
    }

    @Test func repeatedEventsAreShownOnce() {
        var state = FollowState(position: LogPosition(epoch: "e", seq: 4))
        #expect(state.receive(message("e:4")) == .nothing)
        #expect(state.receive(message("e:5")) == .show("e:5"))
        #expect(state.receive(message("e:5")) == .nothing)
        #expect(state.position == LogPosition(epoch: "e", seq: 5))
    }

    @Test func listedEventsComingAgainOnTheStreamAreKnown() {
        var state = FollowState(position: nil)
        state.shown(10, epoch: nil)
        #expect(state.position == nil)
        #expect(state.receive(message("e:10")) == .nothing)
        #expect(state.receive(message("e:11")) == .show("e:11"))
    }

    @Test func listThatNamesItsEpochGivesAPlaceToResume() {
        var state = FollowState(position: nil)
        state.shown(10, epoch: "e")
        #expect(state.position == LogPosition(epoch: "e", seq: 10))
    }

    @Test func resetWarnsAndStartsAnewEvenBelow() {
        var state = FollowState(position: LogPosition(epoch: "old", seq: 900))
        guard case .warn = state.receive(message("new:3", event: "reset")) else {
            Issue.record("a reset must be told")
            return
        }
        #expect(state.position == LogPosition(epoch: "new", seq: 3))
        #expect(state.receive(message("new:4")) == .show("new:4"))
    }

    @Test func anotherEpochIsNotComparedByNumber() {
        var state = FollowState(position: LogPosition(epoch: "old", seq: 900))
        #expect(state.receive(message("new:1")) == .show("new:1"))
        #expect(state.position == LogPosition(epoch: "new", seq: 1))
    }

    @Test func idWithoutDataOnlyMovesForward() {
        var state = FollowState(position: LogPosition(epoch: "e", seq: 5))
        state.reached("e:3")
        #expect(state.position?.seq == 5)
        state.reached("e:8")
        #expect(state.position?.seq == 8)
    }
}
