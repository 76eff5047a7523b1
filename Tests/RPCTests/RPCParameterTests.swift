import JSON
import Testing

@testable import RPC

@Suite("RPC parameters")
struct RPCParameterTests {
    private static let all: [RPCParameter] = [
        .text("workspace_id", "w").also("id", "workspaceId").required, .choice("order", ["asc", "desc"], "o"),
        .integer("limit", 1...5, "l"), .flag("flag", "f"), .texts("types", 1...2, "t"), .place("before", "b"),
        .object("since", [.integer("seq", 0...Int64.max, "s").required, .text("epoch", "e")], "p"),
        .anything("anything", "a"),
    ]

    /// The parameter at fault, or `nil`.
    private func fault(_ text: String) throws -> String? {
        let params = try RPCParams(JSONValue.parse([UInt8](text.utf8)))
        do throws(RPCError) {
            for parameter in Self.all { try parameter.check(params) }
            return nil
        } catch {
            return error.data?["param"]?.string
        }
    }

    @Test(
        "what fits passes, in each spelling; null is as good as absent",
        arguments: [
            #"{"workspace_id":"a"}"#, #"{"id":"a"}"#, #"{"workspaceId":"a","limit":null}"#,
            #"{"workspace_id":"a","id":7}"#, #"{"id":"a","order":"desc","limit":5,"flag":false,"types":["x"]}"#,
            #"{"id":"a","before":"12","since":{"seq":0,"epoch":"e"},"anything":[1]}"#, #"{"id":"a","unknown":{}}"#,
        ]
    )
    func fits(text: String) throws {
        #expect(try fault(text) == nil)
    }

    @Test(
        "what does not fit is named",
        arguments: [
            ("{}", "workspace_id"), (#"{"workspace_id":null}"#, "workspace_id"), (#"{"id":7}"#, "id"),
            (#"{"id":"a","order":"up"}"#, "order"), (#"{"id":"a","limit":6}"#, "limit"),
            (#"{"id":"a","flag":"yes"}"#, "flag"), (#"{"id":"a","types":["x","y","z"]}"#, "types"),
            (#"{"id":"a","before":"x"}"#, "before"), (#"{"id":"a","since":{}}"#, "since.seq"),
            (#"{"id":"a","since":{"seq":-1}}"#, "seq"), (#"{"id":"a","since":4}"#, "since"),
        ]
    )
    func fails(text: String, name: String) throws {
        #expect(try fault(text) == name)
    }
}
