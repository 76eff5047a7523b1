internal import EventModel
internal import HTTPModel

/// Conditional reads (RFC 9110 sections 8.8.3 and 13.1.2). The tag is weak and derived from the body without its
/// request-specific parts. Two answers that differ only in those have the same tag, on every node.
enum EntityTag {
    static let header = "etag"

    /// Adds the tag to the answer to a read. A client that already has the body gets 304 without a body. A streamed
    /// body has no tag.
    static func conditional(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard request.method == .get || request.method == .head, response.status == 200,
            response.stream == nil
        else { return response }
        let tag = tag(of: response)
        if let known = request.headers["if-none-match"], matches(known, tag) {
            return HTTPResponse(status: 304, headers: [(header, tag)])
        }
        var response = response
        response.headers.append((header, tag))
        return response
    }

    private static func tag(of response: HTTPResponse) -> String {
        let body = response.body
        let passing = response.passing ?? body.count..<body.count
        var hash = StableHash()
        hash.combine(body.span.extracting(..<passing.lowerBound))
        hash.combine(body.span.extracting(passing.upperBound...))
        let length = body.count - passing.count
        return "W/\"\(String(hash.value, radix: 16))-\(String(length, radix: 16))\""
    }

    /// Compares weakly with each listed tag.
    private static func matches(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { entry in
            let entry = entry.drop { $0 == " " }.prefix { $0 != " " }
            return entry == "*" || entry == tag || "W/" + entry == tag
        }
    }
}
