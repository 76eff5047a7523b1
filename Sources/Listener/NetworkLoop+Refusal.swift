internal import HTTPModel

/// Answers after which the connection ends.
extension NetworkLoop {
    static let stopping = APIError.unavailable("stopping", "The server is stopping.", retryAfter: 1)

    func refuse(
        _ error: APIError,
        _ requestID: String,
        _ connection: Connection,
        _ lws: LWSConnection,
        mayHaveBody: Bool,
        isHead: Bool = false
    ) -> Int32 {
        let response = error.response(requestID: requestID)
        return refuse(with: response, requestID, connection, lws, mayHaveBody: mayHaveBody, isHead: isHead)
    }

    /// Answers and closes. The result is for the callback that is running.
    ///
    /// - Parameters:
    ///   - mayHaveBody: more may come, which is read and dropped: a connection that is closed while input waits in it
    ///     is reset, and the reset overtakes the answer.
    ///   - isHead: the request is a HEAD, whose answer has no body.
    func refuse(
        with response: HTTPResponse,
        _ requestID: String,
        _ connection: Connection,
        _ lws: LWSConnection,
        mayHaveBody: Bool,
        isHead: Bool = false
    ) -> Int32 {
        let bytes =
            ResponseEncoder.head(
                of: response,
                framing: .length(response.body.count),
                closes: true,
                oldClient: false,
                requestID: requestID
            ) + (isHead ? [] : response.body)
        connection.reader = RequestReader()
        guard lws.write(bytes, count: bytes.count) else {
            connection.mode = .ending
            return -1
        }
        guard mayHaveBody else {
            end(connection, lws)
            return 0
        }
        if !lws.hasBacklog { lws.endOutput() }
        connection.mode = .draining
        connection.dropBudget = Self.drainBytes
        setDeadline(second + Self.drainSeconds, of: connection)
        limitReading(connection, lws)
        return 0
    }
}

extension APIError {
    static func bodyTooLarge(_ limit: Int) -> APIError {
        APIError(
            .invalidRequest,
            status: 413,
            code: "body_too_large",
            message: "The body may have \(limit) bytes."
        )
    }
}
