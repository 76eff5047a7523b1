/// The progress of a response: passes on what belongs to the caller, and judges redirects and sizes. Pure.
struct ExchangeReading {
    enum State: Equatable {
        case unfinished
        /// The response has ended, or the caller wants no more of it.
        case finished
        case redirected(HTTPLocation)
        case failed(OutboundError)
    }

    private let location: HTTPLocation
    private let isGet: Bool
    private let limit: Int
    private var reader = ResponseReader()
    private var bytes = 0
    private(set) var state = State.unfinished

    init(of request: OutboundRequest, limit: Int) {
        (location, isGet, self.limit) = (request.location, request.method == .get, limit)
    }

    /// - Parameter receive: returns whether the caller wants more.
    mutating func take(_ received: [UInt8], isEnd: Bool, _ receive: (OutboundClient.Part) -> Bool) {
        do throws(MalformedResponse) {
            for part in try reader.take(received, isEnd: isEnd) {
                guard state == .unfinished else { return }
                take(part, receive)
            }
        } catch {
            if state == .unfinished { state = .failed(.malformed) }
        }
    }

    private mutating func take(_ part: ResponseReader.Part, _ receive: (OutboundClient.Part) -> Bool) {
        switch part {
        case .head(let head):
            if let place = redirect(head) {
                state = place
            } else if !receive(.head(head)) {
                state = .finished
            }
        case .body(let piece):
            bytes += piece.count
            guard bytes <= limit else {
                state = .failed(.tooLarge(limit: limit))
                return
            }
            if !receive(.body(piece)) { state = .finished }
        case .end: state = .finished
        }
    }

    /// Only requests that stay what they are follow a redirect: those by GET, and others with 307 and 308.
    private func redirect(_ head: ResponseHead) -> State? {
        let follows = [307, 308].contains(head.status) || isGet && [301, 302, 303].contains(head.status)
        guard follows else { return nil }
        return head.value("location").flatMap(location.redirected).map(State.redirected) ?? .failed(.redirected)
    }
}
