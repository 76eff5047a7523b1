import Testing

@testable import MonitorServer

@Suite struct WakeUpTests {
    @Test(.timeLimit(.minutes(1))) func aRingBeforeTheSleepEndsItAtOnce() async {
        let wakeUp = WakeUp()
        wakeUp.ring()
        await wakeUp.wait(atMost: 3600)
    }

    @Test(.timeLimit(.minutes(1))) func aRingDuringTheSleepEndsIt() async {
        let wakeUp = WakeUp()
        async let sleep: Void = wakeUp.wait(atMost: 3600)
        wakeUp.ring()
        await sleep
    }

    @Test(.timeLimit(.minutes(1))) func theSleepEndsByItself() async {
        await WakeUp().wait(atMost: 0.01)
    }

    @Test(.timeLimit(.minutes(1))) func aCancelledTaskDoesNotSleep() async {
        let wakeUp = WakeUp()
        let task = Task { await wakeUp.wait(atMost: 3600) }
        task.cancel()
        await task.value
    }

    @Test(.timeLimit(.minutes(1))) func manyRoundsLoseNoRing() async {
        let wakeUp = WakeUp()
        for _ in 0..<2000 {
            async let sleep: Void = wakeUp.wait(atMost: 3600)
            wakeUp.ring()
            await sleep
        }
    }
}
