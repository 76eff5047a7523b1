internal import Dispatch
internal import Glibc

/// SIGTERM and SIGINT as events. SIGPIPE is ignored: a closed connection must not end the process.
package final class ShutdownSignals {
    private let sources: [any DispatchSourceSignal]

    /// Calls `handler` for each signal, on its own thread.
    package init(handler: @escaping @Sendable (Int32) -> Void) {
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
