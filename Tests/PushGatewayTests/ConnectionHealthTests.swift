import Testing

@testable import PushGateway

@Suite("ConnectionHealth")
struct ConnectionHealthTests {
    private func health() -> ConnectionHealth {
        ConnectionHealth(pingAfterIdle: 3600, checkAfterIdle: 120, pingTimeout: 5, now: 0)
    }

    @Test("a PING after an hour, death without a PONG")
    func idle() {
        var health = health()
        #expect(health.nextTick == 3600)
        #expect(health.tick(now: 3599) == .none)
        #expect(health.tick(now: 3600) == .ping)
        #expect(health.nextTick == 3605)
        #expect(health.tick(now: 3604) == .none)
        #expect(health.tick(now: 3605) == .dead)
    }

    @Test("a PONG keeps it alive for another hour")
    func pong() {
        var health = health()
        _ = health.tick(now: 3600)
        health.ponged(now: 3601)
        #expect(health.tick(now: 3605) == .none)
        #expect(health.nextTick == 7201)
        #expect(health.secondsWithoutPush(now: 3605) == 3605)
        _ = health.pushSent(now: 3606)
        #expect(health.secondsWithoutPush(now: 3610) == 4)
    }

    @Test("a push after silence is checked, one soon after another is not")
    func check() {
        var health = health()
        #expect(health.pushSent(now: 10) == .none)
        #expect(health.pushSent(now: 130) == .ping)
        #expect(health.pushSent(now: 300) == .none)
    }

    @Test("a missing answer makes it suspect until the PONG")
    func suspect() {
        var health = health()
        #expect(health.answerMissing(now: 20) == .ping)
        #expect(health.isSuspect)
        #expect(health.answerMissing(now: 21) == .none)
        health.ponged(now: 22)
        #expect(!health.isSuspect)
        #expect(health.tick(now: 26) == .none)
    }
}
