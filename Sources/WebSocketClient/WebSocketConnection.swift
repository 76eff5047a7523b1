internal import Synchronization
package import Workers

/// One connection to a server. It has a thread of its own, which ends with the connection.
package final class WebSocketConnection: Sendable {
    /// What the thread shall do. Any thread.
    private let shared: SendQueue

    /// Starts to connect.
    ///
    /// - Parameter handler: is called on the connection's thread, one event at a time. It must not wait.
    package init(
        _ endpoint: WebSocketEndpoint,
        handler: @escaping @Sendable (WebSocketEvent) -> Void
    ) throws(WorkerThreadError) {
        let shared = SendQueue()
        self.shared = shared
        _ = try WorkerThread(name: "link") {
            let end = ClientLoop(endpoint, shared, handler).run()
            shared.finish()
            handler(.ended(end))
        }
    }

    /// Sends a text message when the connection is open. Returns false if it is larger than `WebSocketLimits.message`,
    /// if too much waits, or if the connection is over.
    package func send(_ text: [UInt8]) -> Bool { shared.offer(text) }

    /// Closes the connection after what was sent.
    package func close() { shared.close() }

    /// Bytes that wait to be sent.
    package var backlog: Int { shared.backlog }
}

/// Messages that wait, and the way to wake the thread that sends them. Any thread.
final class SendQueue: Sendable {
    private struct State {
        var messages: [[UInt8]] = []
        /// The number of messages at the front that were taken.
        var taken = 0
        var bytes = 0
        var isClosing = false
        var isOver = false
        /// Wakes the thread; `nil` while there is nothing to wake.
        var waker: Waker?
    }

    private let state = Mutex(State())

    var backlog: Int { state.withLock(\.bytes) }

    func offer(_ text: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isClosing, !state.isOver, text.count <= WebSocketLimits.message,
                state.bytes + text.count <= WebSocketLimits.queue
            else { return false }
            state.messages.append(text)
            state.bytes += text.count
            state.waker?.wake()
            return true
        }
    }

    func close() {
        state.withLock { state in
            state.isClosing = true
            state.waker?.wake()
        }
    }

    /// The next message, or `nil` if none waits.
    func next() -> [UInt8]? {
        state.withLock { state in
            guard state.taken < state.messages.count else { return nil }
            let message = state.messages[state.taken]
            state.messages[state.taken] = []
            state.taken += 1
            state.bytes -= message.count
            if state.taken == state.messages.count { (state.messages, state.taken) = ([], 0) }
            if state.taken > 1024 {
                state.messages.removeFirst(state.taken)
                state.taken = 0
            }
            return message
        }
    }

    var isEmpty: Bool { state.withLock { $0.taken == $0.messages.count } }
    var isClosing: Bool { state.withLock(\.isClosing) }

    /// - Parameter waker: is called under the lock, so it is not used after it was taken away.
    func attach(_ waker: Waker?) { state.withLock { $0.waker = waker } }

    func finish() {
        state.withLock { state in
            (state.waker, state.isOver) = (nil, true)
            (state.messages, state.taken, state.bytes) = ([], 0, 0)
        }
    }
}
