import EventModel
import HTTPModel
import Testing

@testable import Serving

@Suite("Answers as the first clients' documents print them")
struct SeedAnswerTests {
    private func answer(_ body: String, path: String = "/v1/sessions/a", status: Int = 200) -> String {
        let request = HTTPRequest(method: .get, path: path, requestID: "r")
        let response = HTTPResponse.json(status: status, Array(body.utf8))
        let changed =
            status < 400
            ? SeedAnswer.success(response, to: request, at: Timestamp(microseconds: 1_500_000))
            : SeedAnswer.failure(response, to: request)
        return String(decoding: changed.body, as: UTF8.self)
    }

    @Test("a single object gets meta")
    func meta() {
        let meta = #""meta":{"request_id":"r","timestamp":"1970-01-01T00:00:01Z"}}"#
        #expect(answer(#"{"a":1}"#) == #"{"a":1,"# + meta)
        #expect(answer("{}") == "{" + meta)
    }

    @Test("a list, a chat and what is no object of the interface do not")
    func others() {
        for body in [#"{"data":[],"meta":{}}"#, "[1]", ""] { #expect(answer(body) == body) }
        for path in ["/v1/chat/completions", "/v1/responses", "/health", "/openapi.json"] {
            #expect(answer(#"{"a":1}"#, path: path) == #"{"a":1}"#)
        }
    }

    @Test("the word of an error is that of its status")
    func errors() {
        func error(_ code: String, _ more: String = "") -> String { #"{"error":{"code":"\#(code)"\#(more)}}"# }
        #expect(answer(error("x"), status: 400) == error("bad_request", #","reason":"x""#))
        #expect(answer(error("x"), status: 404) == error("not_found", #","reason":"x""#))
        #expect(answer(error("x"), status: 409) == error("x"))
        #expect(answer(error("x"), path: "/health", status: 404) == error("x"))
    }

    @Test("a credential of the URL goes to the header, unless there is one")
    func key() {
        var request = HTTPRequest(method: .get, path: "/ws", query: "a=1&key=k%20y")
        let moved = request.withKeyFromURL()
        #expect(moved.query == "a=1" && moved.headers["authorization"] == "Bearer k y")
        request.headers["x-api-key"] = "other"
        #expect(request.withKeyFromURL().headers["authorization"] == nil)
        #expect(request.withKeyFromURL().query == "a=1")
    }
}
