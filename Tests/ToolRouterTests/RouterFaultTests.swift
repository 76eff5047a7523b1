import HTTPModel
import JSON
import Testing

@testable import ToolRouter

struct RouterFaultTests {
    private func shown(_ error: APIError) throws -> JSONValue {
        let response = RouterFault.response(error.response(requestID: "r"), requestID: "r")
        #expect(response.status == error.status)
        return try JSONValue.parse(response.body)["error"] ?? .null
    }

    @Test func theNumbersThatClientsKnow() throws {
        let missing = try shown(RouterFault.noConnection("gmail"))
        #expect(missing["code"] == .integer(4302))
        #expect(missing["slug"] == .string("ToolRouterV2_NoActiveConnection"))
        #expect(missing["suggested_fix"]?.string?.contains("\"toolkit\":\"gmail\"") == true)
        #expect(try shown(RouterFault.noManagedAuth("x"))["code"] == .integer(4308))
        #expect(try shown(RouterFault.noLogin("x"))["code"] == .integer(4326))
        #expect(try shown(RouterFault.badRequest("x", param: "y"))["code"] == .integer(4300))
        #expect(try shown(RouterFault.unknownSession)["code"] == .integer(10_404))
    }

    @Test func aLimitSaysWhenToTryAgain() throws {
        let error = APIError(.rateLimit, status: 429, code: "rate_limited", message: "Wait.", retryAfter: 7)
        let response = RouterFault.response(error.response(requestID: "r"), requestID: "r")
        #expect(response.headers.contains { $0.name == "retry-after" && $0.value == "7" })
        #expect(try shown(error)["retry_after"] == .integer(7))
        #expect(try shown(error)["slug"] == .string("HTTP_TooManyRequests"))
    }

    @Test func whatIsNoErrorStays() {
        let response = HTTPResponse.json(Array(#"{"error":{}}"#.utf8))
        #expect(RouterFault.response(response, requestID: "r").body == response.body)
        let text = HTTPResponse.text(status: 500, "x")
        #expect(RouterFault.response(text, requestID: "r").body == text.body)
    }
}
