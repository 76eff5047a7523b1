internal import HTTPModel

/// The head of one request. It alone says what the request is: nothing asks the bytes, or the library, a second time.
struct RequestHead: Equatable, Sendable {
    enum Version: Equatable, Sendable {
        case http10
        case http11
    }

    var method: HTTPMethod
    var target: RequestTarget
    var version: Version
    /// By the places of the `HeaderTable` that it was read with.
    var values: [String?]

    subscript(header: HeaderTable.Known) -> String? { values[header.rawValue] }

    /// The client may have sent a body, for good reasons or bad.
    var mayHaveBody: Bool {
        self[.transferEncoding] != nil || self[.contentLength].map { $0 != "0" } ?? false
    }

    /// Without the body.
    func request(_ table: HeaderTable, requestID: String, peer: String) -> HTTPRequest {
        var headers = HTTPHeaders()
        headers.reserveCapacity(table.passed.count)
        for (name, index) in table.passed {
            if let value = values[index], !value.isEmpty { headers.append(name, value) }
        }
        return HTTPRequest(
            method: method,
            path: target.path,
            query: target.query,
            headers: headers,
            requestID: requestID,
            peerAddress: peer
        )
    }
}
