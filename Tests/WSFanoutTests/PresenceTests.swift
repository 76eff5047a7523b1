import EventModel
import FanoutSamples
import JSON
import Testing

@testable import WSFanout

@Suite("Presence")
struct PresenceTests {
    private let place = PresencePlace(workspaceID: "ws-1", sessionID: "s1")
    private let elsewhere = PresencePlace(workspaceID: "ws-1", sessionID: "s2")

    @Test("who comes is told to those who are there, who goes to those who stay")
    func comingAndGoing() {
        var presence = Presence()
        #expect(presence.apply(.focus(place), of: "a").isEmpty)
        #expect(presence.apply(.focus(place), of: "b").map(\.others) == [["a"]])
        #expect(presence.viewers(of: "s1") == ["a", "b"])
        #expect(presence.apply(.focus(place), of: "b").isEmpty)
        let moved = presence.apply(.focus(elsewhere), of: "b")
        #expect(moved == [PresenceNotice(kind: .left, clientID: "b", place: place, others: ["a"])])
        #expect(presence.apply(.focus(elsewhere), of: "a").map(\.kind) == [.joined])
        #expect(presence.remove("a").map(\.others) == [["b"]])
        #expect(presence.remove("a").isEmpty)
        #expect(presence.remove("b").isEmpty)
        #expect(presence == Presence())
    }

    @Test("watching is one session of each client, and ends with its socket")
    func watching() {
        var presence = Presence()
        _ = presence.apply(.watch(place), of: "a")
        _ = presence.apply(.watch(elsewhere), of: "a")
        #expect(presence.watchedSession(in: "ws-1", for: "b") == "s2")
        #expect(presence.activeSession(in: "ws-1", for: "a") == "s2")
        _ = presence.apply(.unwatch, of: "a")
        #expect(presence.watchedSession(in: "ws-1", for: "b") == nil)
        _ = presence.remove("a")
        #expect(presence == Presence())
    }

    @Test("what a client has chosen last, in whatever way")
    func choosing() {
        var presence = Presence()
        let changes: [(PresenceChange, PresencePlace)] = [
            (.activate(place), place), (.watch(elsewhere), elsewhere), (.focus(place), place), (.unfocus, place),
        ]
        for (change, chosen) in changes {
            _ = presence.apply(change, of: "a")
            #expect(presence.chosen(by: "a") == chosen)
        }
        #expect(presence.chosen(by: "b") == nil)
        _ = presence.remove("a")
        #expect(presence == Presence())
    }

    @Test("the hub tells the others, after a socket has died as well")
    func hub() {
        let output = RecordingOutput()
        let hub = makeHub(output)
        for client in [1, 2] {
            hub.attach(client, transport: .jsonRPC)
            hub.perform([.presence(.focus(place), of: "c\(client)")], for: client)
        }
        #expect(notices(1, output) == ["joined c2"])
        #expect(notices(2, output).isEmpty)
        output.results[2] = .gone
        hub.send([0x81, 0x00], to: 2)
        hub.tick(now: start, time: start, report: report)
        #expect(notices(1, output) == ["joined c2", "left c2"])
        #expect(hub.presence.viewers(of: "s1") == ["c1"])
    }

    @Test("a person shows by going to a session and by saying so, not by what a client repeats")
    func interactions() {
        let hub = makeHub(RecordingOutput())
        hub.attach(1, transport: .jsonRPC)
        func say(_ change: PresenceChange, at seconds: Double) -> Double? {
            // The wall clock goes back an hour, which is nothing to an interaction.
            hub.tick(now: start.adding(seconds: seconds), time: start.adding(seconds: -3600), report: report)
            hub.perform([.presence(change, of: "c1")], for: 1)
            return hub.viewers.first?.idleSeconds
        }
        #expect(say(.activate(place), at: 1) == nil)
        #expect(say(.focus(place), at: 2) == 0)
        #expect(say(.focus(place), at: 3) == 1)
        #expect(hub.viewers.first?.sessionID == "s1")
        #expect(say(.focus(PresencePlace(workspaceID: "ws-1", sessionID: "s2")), at: 4) == 0)
        #expect(say(.interacted, at: 5) == 0)
        #expect(say(.hidden, at: 6) == nil)
        #expect(say(.interacted, at: 7) == 0)
        hub.remove(1)
        #expect(hub.viewers.isEmpty)
    }

    @Test("a viewer that dies in a publish costs the others no event")
    func deathInPublish() {
        let output = RecordingOutput()
        let hub = makeHub(output) { $0.batchBytes = 64 }
        for client in 1...3 {
            hub.subscribe(client)
            hub.perform([.presence(.focus(place), of: "c\(client)")], for: client)
        }
        output.results = [1: .waiting(bytes: 1), 2: .gone, 3: .waiting(bytes: 1)]
        hub.publish((1...9).map { encoded($0) })
        output.results = [:]
        for client in [1, 3] {
            hub.drained(client)
            #expect(output.seqs(client) == Array(1...9))
        }
    }

    private func notices(_ client: Int, _ output: RecordingOutput) -> [String] {
        (output.sent[client] ?? []).flatMap(payloads).compactMap(parse).compactMap { notice in
            notice["kind"]?.string.map { "\($0) \(notice["client"]?.string ?? "")" }
        }
    }
}
