import JSON
import Synchronization
import Testing

@testable import HTTPClient
@testable import Tools

@Suite("The client of remote MCP servers")
struct RemoteClientTests {
    /// Answers each request with the next page of a list without an end, a while later.
    private final class SlowServer: Sendable {
        let time = Mutex(0.0)
        let limits = Mutex<[Double]>([])
        let seconds: Double

        init(seconds: Double) { self.seconds = seconds }

        func answer(_ request: OutboundRequest) throws -> String {
            let message = try JSONValue.parse(request.body)
            let (id, method) = (message["id"]?.integer ?? 0, message["method"]?.string)
            let result =
                method == "server/discover"
                ? #"{"supportedVersions":["2026-07-28"]}"#
                : #"{"tools":[{"name":"t\#(id)","inputSchema":{"type":"object"}}],"nextCursor":"\#(id)"}"#
            if method == "tools/list" { time.withLock { $0 += seconds } }
            return #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
        }
    }

    @Test("a list that comes slowly ends after a minute")
    func slowList() async throws {
        let server = SlowServer(seconds: 25)
        let place = RemoteClient.Place(
            location: try #require(HTTPLocation("https://mcp.example/mcp")),
            headers: [],
            version: "1",
            clock: { server.time.withLock { $0 } }
        )
        let head = try #require(ResponseHead(Array("HTTP/1.1 200 OK\r\nContent-Type: application/json".utf8)[...]))
        let client = RemoteClient(place) { request, limits, receive throws(OutboundError) in
            server.limits.withLock { $0.append(limits.seconds) }
            guard let answer = try? server.answer(request) else { throw .malformed }
            _ = receive(.head(head)) && receive(.body(Array(answer.utf8)))
        }
        let listing = try await client.tools()
        #expect(listing.tools.count == 3)
        #expect(!listing.isComplete)
        #expect(server.limits.withLock { $0 } == [30, 30, 30, 10])
    }
}
