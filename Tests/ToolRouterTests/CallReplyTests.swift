import HTTPModel
import JSON
import Testing

@testable import ToolRouter

struct CallReplyTests {
    private func body(_ reply: CallReply) throws -> JSONValue { try JSONValue.parse(reply.response.body) }

    private func ended(_ text: String) throws -> JSONValue {
        try body(CallReply(call: "c", result: try JSONValue.parse(Array(text.utf8))))
    }

    @Test func aStructuredResultIsTheData() throws {
        let body = try ended(
            #"{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1},"isError":false}"#
        )
        #expect(body["data"] == .object([("a", .integer(1))]))
        #expect(body["error"] == .null)
        #expect(body["result_type"] == .string("completed"))
        #expect(body["log_id"] == .string("log_c"))
        #expect(body["logId"] == .string("log_c"))
    }

    @Test func aTextThatIsAnObjectIsTheData() throws {
        let body = try ended(#"{"content":[{"type":"text","text":"{\"a\":[true]}"}]}"#)
        #expect(body["data"] == .object([("a", .array([.bool(true)]))]))
    }

    @Test func otherContentStaysBesideTheText() throws {
        let body = try ended(#"{"content":[{"type":"text","text":"hello"},{"type":"image","data":"AA=="}]}"#)
        #expect(body["data"]?["text"] == .string("hello"))
        #expect(body["data"]?["content"]?.array?.count == 2)
        let list = try ended(#"{"content":[{"type":"text","text":"[1]"}]}"#)
        #expect(list["data"] == .object([("text", .string("[1]"))]))
    }

    @Test func whatAToolFailsWith() throws {
        let body = try ended(#"{"content":[{"type":"text","text":"no"}],"isError":true}"#)
        #expect(body["result_type"] == .string("failed"))
        #expect(body["error"] == .string("no"))
    }

    @Test(arguments: ["denied_by_person", "approval_expired", "not_allowed_by_policy", "insufficient_scope"])
    func whatIsNotAllowedIsBlocked(_ code: String) throws {
        let error = APIError(.permission, status: 403, code: code, message: "No.")
        let body = try body(CallReply(call: "c", error))
        #expect(body["result_type"] == .string("blocked"))
        #expect(body["reason"]?["type"] == .string("request_blocked"))
        #expect(body["reason"]?["hook_id"] == .string(code))
        #expect(body["message"] == .string("No."))
    }

    @Test func whatMayHaveRunFails() throws {
        let error = APIError(.internalError, status: 502, code: "outcome_unknown", message: "Lost.")
        #expect(try body(CallReply(call: "c", error))["result_type"] == .string("failed"))
    }

    @Test func aQuestionHasAFormAndAState() throws {
        let body = try body(CallReply(logID: "l", .asking(message: "Wait.", state: "s")))
        #expect(body["result_type"] == .string("input_required"))
        #expect(body["input_requests"]?["approval"]?["mode"] == .string("form"))
        #expect(body["request_state"] == .string("s"))
        #expect(body["error"] == .string("Wait."))
    }
}
