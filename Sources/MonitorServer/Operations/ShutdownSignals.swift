internal import Dispatch
internal import Glibc

/// SIGTERM and SIGINT as an event. SIGPIPE is ignored: a client that hangs up is no reason to die.
final class ShutdownSignals {
    private let sources: [any DispatchSourceSignal]

    /// `handler` is called for every signal that comes, on a thread of its own.
    init(handler: @escaping @Sendable (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "signals")
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
