import Testing
import Workers

@Suite struct AsyncSignalTests {
    @Test(.timeLimit(.minutes(5))) func aNotificationBeforeTheSleepEndsItAtOnce() async {
        let signal = AsyncSignal()
        signal.notify()
        await signal.wait(atMost: 3600)
    }

    @Test(.timeLimit(.minutes(5))) func aNotificationDuringTheSleepEndsIt() async {
        let signal = AsyncSignal()
        async let sleep: Void = signal.wait(atMost: 3600)
        signal.notify()
        await sleep
    }

    @Test(.timeLimit(.minutes(5))) func theSleepEndsByItself() async {
        await AsyncSignal().wait(atMost: 0.01)
    }

    @Test(.timeLimit(.minutes(5))) func aCancelledTaskDoesNotSleep() async {
        let signal = AsyncSignal()
        let task = Task { await signal.wait(atMost: 3600) }
        task.cancel()
        await task.value
    }

    @Test(.timeLimit(.minutes(5))) func manyRoundsLoseNoNotification() async {
        let signal = AsyncSignal()
        for _ in 0..<2000 {
            async let sleep: Void = signal.wait(atMost: 3600)
            signal.notify()
            await sleep
        }
    }

    /// The alarm of a short wait can run on another thread before the sleeper is registered.
    @Test(.timeLimit(.minutes(5))) func everyShortWaitEnds() async {
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    let signal = AsyncSignal()
                    for _ in 0..<20_000 { await signal.wait(atMost: 0) }
                }
            }
        }
    }
}
