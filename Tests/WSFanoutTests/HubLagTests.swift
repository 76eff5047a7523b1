import FanoutSamples
import Testing

@testable import WSFanout

@Suite("Hub lag")
struct HubLagTests {
    let output = RecordingOutput()

    @Test("tells, by transport, who follows, who is behind, and how far")
    func lags() {
        let hub = makeHub(output)
        hub.subscribe(1)
        hub.subscribe(2)
        hub.subscribe(3, .serverSentEvents)
        hub.attach(4, transport: .jsonRPC)
        output.results[2] = .waiting(bytes: 1)
        hub.publish([encoded(1)])
        hub.publish([encoded(2), encoded(3), encoded(4)])
        let lags = hub.lags()
        #expect(lags[.jsonRPC]?.following == 2)
        #expect(lags[.jsonRPC]?.behind == 1)
        #expect(lags[.jsonRPC]?.longest == 3)
        #expect(lags[.serverSentEvents]?.following == 1)
        #expect(lags[.serverSentEvents]?.behind == 0)
        output.results[2] = .sent
        hub.drained(2)
        #expect(hub.lags()[.jsonRPC]?.behind == 0)
        #expect(hub.lags()[.jsonRPC]?.longest == 0)
    }
}
