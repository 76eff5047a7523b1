import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("Subscriptions to workspaces")
struct SubscriptionMethodTests {
    private func filter(_ workspaces: Set<String>?) -> EventFilter {
        var filter = EventFilter.all
        filter.workspaceIDs = workspaces
        return filter
    }

    @Test("each one more widens the filter, the last one less ends it")
    func widening() async {
        var walk = RPCWalk()
        let (first, narrowed) = await walk.call("workspace/subscribe", #"{"workspace_id":"ws-1"}"#)
        #expect(first?["result"]?["subscribed"] == .array([.string("ws-1")]))
        #expect(narrowed == [.refilter(filter(["ws-1"]), transport: .jsonRPC)])
        #expect(
            await walk.call("workspace/subscribe", #"{"id":"ws-2"}"#).1 == [
                .refilter(filter(["ws-1", "ws-2"]), transport: .jsonRPC)
            ]
        )
        let listed = await walk.call("workspace/subscriptions").0?["result"]
        #expect(listed?["workspaces"] == .array([.string("ws-1"), .string("ws-2")]))
        #expect(listed?["is_filtering"] == .bool(true))
        _ = await walk.call("workspace/unsubscribe", #"{"workspace_id":"ws-1"}"#)
        #expect(
            await walk.call("workspace/unsubscribe", #"{"workspace_id":"ws-2"}"#).1 == [
                .refilter(filter(nil), transport: .jsonRPC)
            ]
        )
        #expect(await walk.call("workspace/subscriptions").0?["result"]?["workspaces"] == .array([]))
    }

    @Test("event/subscribe keeps the workspaces unless it names one, and workspace/subscribeAll forgets them")
    func together() async {
        var walk = RPCWalk()
        _ = await walk.call("workspace/subscribe", #"{"workspace_id":"ws-1"}"#)
        let (_, kept) = await walk.call("event/subscribe", #"{"since":{"seq":20}}"#)
        #expect(kept == [.subscribe(filter(["ws-1"]), after: StreamPosition(epoch: epoch, seq: 20))])
        let (_, named) = await walk.call("event/subscribe", #"{"workspace_id":"ws-2"}"#)
        #expect(named == [.subscribe(EventFilter(workspaceID: "ws-2"), after: StreamPosition(epoch: epoch, seq: 41))])
        #expect(await walk.call("workspace/subscribeAll").1 == [.refilter(.all, transport: .jsonRPC)])
    }

    @Test("one more than the bound is refused, and one that is there already is not one more")
    func bound() async {
        var stream = ClientStream()
        for number in 0..<ClientStream.maxWorkspaces { #expect(throws: Never.self) { try stream.add("ws-\(number)") } }
        #expect(throws: RPCError.self) { try stream.add("ws-more") }
        #expect(throws: Never.self) { try stream.add("ws-1") }
    }

    @Test("a new filter keeps the place of a client that is behind")
    func place() {
        let output = RecordingOutput()
        let hub = makeHub(output)
        output.results[1] = .waiting(bytes: 1)
        hub.subscribe(1)
        hub.publish([encoded(1)])
        hub.publish([encoded(2), encoded(3)])
        hub.perform([.refilter(filter(["ws-1"]))], for: 1)
        output.results[1] = .sent
        hub.drained(1)
        #expect(output.seqs(1) == [1, 2, 3])
    }

    @Test("a flood is closed with 4029, a steady pace is not")
    func flood() {
        var session = readySession()
        var now = context
        let call = [UInt8](#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.utf8)
        for step in 0..<3000 {
            now.now = start.adding(seconds: Double(step) * 0.011)
            #expect(!session.receive(call, in: now).messages.isEmpty)
        }
        var closed: [HubAction] = []
        for _ in 0...RPCPeer.Limits().burst where closed.isEmpty { closed = session.receive(call, in: now).hubActions }
        #expect(closed == [.close(.tooManyRequests)])
        #expect(session.receive(call, in: now).isEmpty)
    }
}
