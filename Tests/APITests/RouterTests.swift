import HTTPModel
import Testing

@testable import API

@Suite("Router")
struct RouterTests {
    private let router = Router([
        RouterTests.route(.get, "/v1/sessions/stats"),
        RouterTests.route(.get, "/v1/sessions/{id}"),
        RouterTests.route(.delete, "/v1/sessions/{id}"),
        RouterTests.route(.get, "/v1/sessions/{id}/events"),
    ])

    private static func route(_ method: HTTPMethod, _ path: String) -> Route {
        Route(method, path, .read) { _ in HTTPResponse(status: 200) }
    }

    private func found(_ method: HTTPMethod, _ path: String) -> (template: String, parameters: [String: String])? {
        guard case .route(let route, let parameters) = router.match(method, path) else { return nil }
        return (route.path.text, parameters)
    }

    @Test("a fixed path wins over a parameter")
    func fixed() {
        #expect(found(.get, "/v1/sessions/stats")?.template == "/v1/sessions/stats")
        #expect(found(.get, "/v1/sessions/abc")?.template == "/v1/sessions/{id}")
    }

    @Test("parameters are decoded, a slash in one is not a separator")
    func parameters() {
        #expect(found(.get, "/v1/sessions/a%2Fb%20c/events")?.parameters == ["id": "a/b c"])
        #expect(found(.get, "/v1/sessions/%zz")?.parameters == ["id": "%zz"])
    }

    @Test("HEAD is answered where GET is; a trailing slash makes no difference")
    func head() {
        #expect(found(.head, "/v1/sessions/x") != nil)
        #expect(found(.get, "/v1/sessions/x/") != nil)
    }

    @Test("a known path with another method names what it takes")
    func methodNotAllowed() {
        guard case .methodNotAllowed(let allowed) = router.match(.put, "/v1/sessions/x") else {
            Issue.record("expected methodNotAllowed")
            return
        }
        #expect(allowed == [.get, .delete])
    }

    @Test("a fixed path has only methods of its own, and a known path tells them")
    func methods() {
        #expect(router.methods(at: "/v1/sessions/stats") == [.get])
        #expect(router.methods(at: "/v1/sessions/x") == [.get, .delete])
        #expect(router.methods(at: "/v1/nothing") == [])
        guard case .methodNotAllowed(let allowed) = router.match(.delete, "/v1/sessions/stats") else {
            Issue.record("expected methodNotAllowed")
            return
        }
        #expect(allowed == [.get])
    }

    @Test("unknown paths", arguments: ["/", "/v1", "/v1/sessions/x/y", "/V1/sessions/x"])
    func notFound(path: String) {
        guard case .notFound = router.match(.get, path) else {
            Issue.record("expected notFound")
            return
        }
    }
}
