internal import EventModel
internal import Sessions
internal import Synchronization
internal import Workers

/// What must be done before the next regular round.
struct DueWork: Sendable, Equatable {
    /// A prompt has a phase that the log does not report yet.
    var announcement = false
    /// A prompt is closed for which a hook of another server may wait.
    var notice = false
    /// Another server has closed prompts.
    var release = false
    /// Sessions were erased.
    var erasure = false
    /// When to look for turns that an answer has ended, on the steady clock.
    var interruptionAt: Timestamp?

    /// Rows of prompts have changed.
    ///
    /// - Parameter isAwaitedHere: whether a hook waits on this server for the prompt of this id.
    mutating func changed(_ prompts: [Prompt], isAwaitedHere: (String) -> Bool) {
        announcement = announcement || prompts.contains { $0.phase > $0.announced }
        notice =
            notice
            || prompts.contains {
                $0.phase == .closed && $0.announced < .closed && $0.wasHeld && !isAwaitedHere($0.id)
            }
    }

    /// Returns the work that is due now, and keeps the rest.
    mutating func take(now: Timestamp) -> DueWork {
        var work = self
        self = DueWork()
        if let time = work.interruptionAt, time > now { (work.interruptionAt, interruptionAt) = (nil, time) }
        return work
    }
}

/// `DueWork`, with a task that waits for it. May be used on any thread.
final class PromptWork: Sendable {
    private let due = Mutex(DueWork())
    private let signal = AsyncSignal()

    /// Wakes the waiting task if the change makes any work due.
    func need(_ change: (inout DueWork) -> Void) {
        let isChanged = due.withLock { due in
            let before = due
            change(&due)
            return due != before
        }
        if isChanged { signal.notify() }
    }

    func wake() { signal.notify() }

    /// Waits until `time` on the steady clock, or until there is work.
    func wait(until time: Timestamp, clock: @Sendable () -> Timestamp) async {
        let wakeAt = due.withLock { min(time, $0.interruptionAt ?? time) }
        await signal.wait(atMost: max(0.1, wakeAt.seconds(since: clock())))
    }

    func take(now: Timestamp) -> DueWork { due.withLock { $0.take(now: now) } }
}
