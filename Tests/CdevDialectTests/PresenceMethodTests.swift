import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("RPC methods of presence")
struct PresenceMethodTests {
    private let place = PresencePlace(workspaceID: "ws-1", sessionID: "s1")

    @Test("the methods answer who else is there, and do not ask for what they were not told")
    func methods() async {
        var presence = Presence()
        _ = presence.apply(.focus(place), of: "other")
        var walk = RPCWalk(presence: presence)
        let params = #"{"workspace_id":"ws-1","session_id":"s1"}"#
        let (focus, actions) = await walk.call("client/session/focus", params)
        #expect(focus?["result"]?["other_viewers"] == .array([.string("other")]))
        #expect(focus?["result"]?["viewer_count"] == .integer(2))
        #expect(actions == [.presence(.focus(place), of: "c-1")])
        let (watch, watching) = await walk.call("workspace/session/watch", params)
        #expect(watch?["result"]?["status"] == .string("watching"))
        #expect(watching == [.presence(.watch(place), of: "c-1")])
        let (unwatch, _) = await walk.call("workspace/session/unwatch")
        #expect(unwatch?["result"]?["watching"] == .bool(false))
        let (shown, touched) = await walk.call("client/presence", #"{"visible":true}"#)
        #expect(shown?["result"]?["visible"] == .bool(true) && touched == [.presence(.interacted, of: "c-1")])
        #expect(await walk.call("client/presence", #"{"visible":false}"#).1 == [.presence(.hidden, of: "c-1")])
        #expect(await walk.call("client/presence").0?["error"]?["code"] == .integer(-32602))
        #expect(await walk.call("client/session/focus").0?["error"]?["code"] == .integer(-32602))
        #expect(await walk.call("workspace/session/activate", params).0?["result"]?["success"] == .bool(true))
    }

    @Test("cdev's clients are told who came and who went")
    func frames() throws {
        var presence = Presence()
        _ = presence.apply(.focus(place), of: "c1")
        let came = try told(presence.apply(.focus(place), of: "c2"))
        #expect(came["method"] == .string("event/session_joined"))
        #expect(came["params"]?["session_id"] == .string("s1"))
        #expect(came["params"]?["payload"]?["joining_client_id"] == .string("c2"))
        #expect(came["params"]?["payload"]?["viewer_count"] == .integer(2))
        let left = try told(presence.remove("c2"))
        #expect(left["method"] == .string("event/session_left"))
        #expect(left["params"]?["payload"]?["leaving_client_id"] == .string("c2"))
        #expect(left["params"]?["payload"]?["remaining_viewers"] == .array([.string("c1")]))
    }

    private func told(_ notices: [PresenceNotice]) throws -> JSONValue {
        let notice = try #require(notices.first)
        return try #require(payloads(ofFrames: notice.frame(at: start)).first.flatMap(parse))
    }
}
