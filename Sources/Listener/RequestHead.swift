internal import HTTPModel

/// The head of one request, parsed once. No other code reads its bytes.
struct RequestHead: Equatable, Sendable {
    enum Version: Equatable, Sendable {
        case http10
        case http11
    }

    var method: HTTPMethod
    var target: RequestTarget
    var version: Version
    /// In the order of the `HeaderTable` with which the head was read.
    var values: [String?]

    subscript(header: HeaderTable.Known) -> String? { values[header.rawValue] }

    /// The client may have sent a body, whether or not it was allowed to.
    var mayHaveBody: Bool {
        self[.transferEncoding] != nil || self[.contentLength].map { $0 != "0" } ?? false
    }

    /// Returns the request without its body.
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
