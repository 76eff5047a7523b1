internal import Synchronization
internal import WebSocketClient
internal import Workers

/// What a connection brought and nobody has taken yet. Any thread.
final class LinkInbox: Sendable {
    private struct State {
        var events: [WebSocketEvent] = []
        var bytes = 0
        var isFull = false
    }

    private let state = Mutex(State())
    private let signal = AsyncSignal()

    func put(_ event: WebSocketEvent) {
        state.withLock { state in
            if case .text(let text) = event {
                // A server that sends faster than this end works loses the connection.
                guard !state.isFull, state.bytes + text.count <= WebSocketLimits.queue else {
                    state.isFull = true
                    return
                }
                state.bytes += text.count
            }
            state.events.append(event)
        }
        signal.notify()
    }

    /// Waits for the next events. For one task.
    func next() async -> (events: [WebSocketEvent], isFull: Bool) {
        while true {
            let (events, isFull) = state.withLock { state in
                defer { (state.events, state.bytes) = ([], 0) }
                return (state.events, state.isFull)
            }
            if !events.isEmpty || isFull { return (events, isFull) }
            await signal.wait(atMost: 3600)
        }
    }
}
