import HTTPModel
import Testing

@testable import Serving

@Suite struct SocketRouteTests {
    @Test("each path is there once, and its description names it and what it needs")
    func table() {
        #expect(SocketRoute.all.map(\.path) == ["/ws", "/v1/ws", "/api/agent"])
        for route in SocketRoute.all {
            #expect(SocketRoute.at(route.path)?.path == route.path && route.description.path == route.path)
            #expect(route.description.access == .needs(route.capability))
        }
        for path in ["/", "/ws/", "/v1/w", "/v1/ws2", "/V1/WS"] { #expect(SocketRoute.at(path) == nil) }
    }

    @Test("the socket of a session needs the session")
    func check() throws {
        let route = try #require(SocketRoute.at("/v1/ws"))
        func request(_ query: String) -> HTTPRequest {
            var request = HTTPRequest(method: .get, path: route.path, requestID: "r")
            request.query = query
            return request
        }
        #expect(throws: APIError.self) { try route.check(request("since=5")) }
        try route.check(request("session_id=s"))
        try SocketRoute.cdev.check(request(""))
    }
}
