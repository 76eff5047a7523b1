import Testing

@testable import MonitorServer

@Suite struct DoorbellTests {
    @Test(.timeLimit(.minutes(1))) func aRingBeforeTheSleepEndsItAtOnce() async {
        let doorbell = Doorbell()
        doorbell.ring()
        await doorbell.wait(atMost: 3600)
    }

    @Test(.timeLimit(.minutes(1))) func aRingDuringTheSleepEndsIt() async {
        let doorbell = Doorbell()
        async let sleep: Void = doorbell.wait(atMost: 3600)
        doorbell.ring()
        await sleep
    }

    @Test(.timeLimit(.minutes(1))) func theSleepEndsByItself() async {
        await Doorbell().wait(atMost: 0.01)
    }

    @Test(.timeLimit(.minutes(1))) func aCancelledTaskDoesNotSleep() async {
        let doorbell = Doorbell()
        let task = Task { await doorbell.wait(atMost: 3600) }
        task.cancel()
        await task.value
    }

    @Test(.timeLimit(.minutes(1))) func manyRoundsLoseNoRing() async {
        let doorbell = Doorbell()
        for _ in 0..<2000 {
            async let sleep: Void = doorbell.wait(atMost: 3600)
            doorbell.ring()
            await sleep
        }
    }
}
