internal import EventModel
internal import HTTPModel
internal import JSON

/// The answers of `/v1` as the documents of the first clients print them. Pure.
enum SeedAnswer {
    /// Cuts the fractions of times, and puts `meta` beside the members of a single object. Lists have it already; the
    /// answers of a chat have the form of OpenAI.
    ///
    /// Call before the answer is compressed.
    static func success(_ response: HTTPResponse, to request: HTTPRequest, at now: Timestamp) -> HTTPResponse {
        guard response.status < 400, response.stream == nil, response.isJSON else { return response }
        var response = response
        response.passing = nil
        if hasMeta(request.path), response.body.last == 0x7D,
            case .object(let members)? = try? JSONValue.parse(response.body),
            !members.contains(where: { $0.0 == "meta" })
        {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("request_id", request.requestID)
            writer.field("timestamp", now.description)
            writer.endObject()
            response.body.removeLast()
            response.body += Array((members.isEmpty ? "" : ",").utf8) + Array(#""meta":"#.utf8) + writer.bytes + [0x7D]
        }
        response.body = WholeSeconds.of(response.body)
        return response
    }

    private static func hasMeta(_ path: String) -> Bool {
        path.hasPrefix("/v1/") && !path.hasPrefix("/v1/chat/") && path != "/v1/responses"
    }

    /// `code` is one of the two words of the documents for 400 and 404. The usual code is in `reason`.
    static func failure(_ response: HTTPResponse, to request: HTTPRequest) -> HTTPResponse {
        let words = [400: "bad_request", 404: "not_found"]
        guard let word = words[response.status], request.path.hasPrefix("/v1/"), response.isJSON,
            case .object(let members)? = (try? JSONValue.parse(response.body))?["error"]
        else { return response }
        var changed: [(String, JSONValue)] = []
        for (name, value) in members {
            guard name == "code" else {
                changed.append((name, value))
                continue
            }
            changed += [("code", .string(word)), ("reason", value)]
        }
        var writer = JSONWriter()
        writer.value(.object([("error", .object(changed))]))
        var response = response
        response.body = writer.bytes
        return response
    }
}

extension HTTPResponse {
    fileprivate var isJSON: Bool {
        headers.contains { $0.name == "content-type" && $0.value.hasPrefix("application/json") }
            && !headers.contains { $0.name == "content-encoding" }
    }
}
