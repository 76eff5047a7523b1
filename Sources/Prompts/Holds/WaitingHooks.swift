internal import Synchronization

/// The reply to a waiting hook.
package enum HoldAnswer: Sendable, Equatable {
    /// The hook prints this.
    case output([UInt8])
    /// The hook prints nothing, so the terminal asks.
    case askLocally
    /// The hook must ask again.
    case again
}

/// The hooks that wait on this server, and what is counted and due because of them. May be used on any thread.
final class WaitingHooks: Sendable {
    typealias Reply = @Sendable (HoldAnswer) -> Void

    /// The number of seconds since its last request after which a hold in the database counts as lost.
    static let aliveSeconds = HoldRequest.pollSeconds + HoldTable<Reply>.graceSeconds

    let table = Mutex(HoldTable<Reply>())
    let counts = Mutex(PromptCounts())
    let latencies = StepLatencies()
    let work = PromptWork()

    /// The newest hold of a prompt.
    func hold(of promptID: String) -> Hold? { table.withLock { $0.hold(of: promptID) } }
}
