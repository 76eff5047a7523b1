import Foundation
import FoundationNetworking
import Synchronization

/// One `text/event-stream` response, as it arrives.
///
/// Buffers up to `bufferLimit` bytes for the reader. At the limit it closes the connection and ends the stream with
/// `Lagging` after the buffered messages. The reader resumes from its last id, so a slow terminal causes a reconnect
/// but never loses an event.
struct EventStream: AsyncSequence, Sendable {
    struct Lagging: Error {}

    static let bufferLimit = 4 << 20
    /// Seconds. Much longer than the server's heartbeat interval: a longer silence means that the connection is dead.
    static let silenceLimit: TimeInterval = 90

    private let parts: AsyncThrowingStream<Data, any Error>
    private let transfer: StreamTransfer

    /// Returns when the server has answered 200, which means that it has subscribed this client.
    static func open(
        _ client: HTTPClient,
        query: [URLQueryItem],
        lastEventID: String?
    ) async throws(CommandError) -> EventStream {
        var request = try client.request("GET", "/v1/events", query: query, authorization: .admin)
        request.timeoutInterval = silenceLimit
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let lastEventID { request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        let (parts, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let transfer = StreamTransfer(parts: continuation)
        let status: Int
        do {
            status = try await transfer.start(request)
        } catch {
            throw client.transportFault(error)
        }
        let stream = EventStream(parts: parts, transfer: transfer)
        guard status == 200 else {
            var body = Data()
            do {
                for try await part in stream where body.count < 65_536 { body.append(part) }
            } catch {}
            throw ServerFault(status: status, body: body).error(server: client.server.absoluteString)
        }
        return stream
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: AsyncThrowingStream<Data, any Error>.AsyncIterator
        fileprivate let transfer: StreamTransfer

        mutating func next() async throws -> Data? {
            let part = try await parts.next()
            if let part { transfer.taken(part.count) }
            return part
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(parts: parts.makeAsyncIterator(), transfer: transfer)
    }
}

/// The URLSession side of a stream. The session calls the delegate serially on its own queue.
private final class StreamTransfer: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var answer: CheckedContinuation<Int, any Error>?
        var pending = 0
        var isLagging = false
    }

    private let state = Mutex(State())
    private let parts: AsyncThrowingStream<Data, any Error>.Continuation

    init(parts: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.parts = parts
    }

    /// Returns the status of the response.
    func start(_ request: URLRequest) async throws -> Int {
        let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
        let task = session.dataTask(with: request)
        parts.onTermination = { _ in
            task.cancel()
            session.finishTasksAndInvalidate()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.answer = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func taken(_ count: Int) {
        state.withLock { $0.pending -= count }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        takeAnswer()?.resume(returning: (response as? HTTPURLResponse)?.statusCode ?? 0)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isLagging = state.withLock { state in
            guard !state.isLagging else { return true }
            state.isLagging = state.pending + data.count > EventStream.bufferLimit
            if !state.isLagging { state.pending += data.count }
            return state.isLagging
        }
        if isLagging {
            parts.finish(throwing: EventStream.Lagging())
        } else {
            parts.yield(data)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        takeAnswer()?.resume(throwing: error ?? URLError(.badServerResponse))
        parts.finish(throwing: error)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func takeAnswer() -> CheckedContinuation<Int, any Error>? {
        state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }
}
