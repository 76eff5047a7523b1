import ClientAPI
import EventModel
import HTTPModel
import JSON

/// The status and body of an answer of the API; of a failing one the error.
func ask(
    _ method: HTTPMethod,
    _ path: String,
    query: String = "",
    body: String = "",
    store: FakeStore = FakeStore()
) async throws -> (Int, JSONValue) {
    let router = Router(API.routes(store: store, keys: NoKeys(), clock: { Sample.time }))
    guard case .route(let route, let parameters) = router.match(method, path) else { return (0, .null) }
    let request = HTTPRequest(method: method, path: path, query: query, body: Array(body.utf8))
    do {
        let response = try await route.handler(RouteRequest(http: request, parameters: parameters))
        return (response.status, try JSONValue.parse(response.body))
    } catch let error as APIError {
        return (error.status, try JSONValue.parse(error.response(requestID: "r").body)["error"] ?? .null)
    }
}

struct NoKeys: KeyAdministration {
    func createKey(machineName: String, _ caller: Caller) async throws(APIError) -> (record: KeyRecord, key: String) {
        throw .notFound("none", "none")
    }
    func keys() async throws(APIError) -> [KeyRecord] { [] }
    func revokeKeys(_ idOrName: String, _ caller: Caller) async throws(APIError) -> [KeyRecord] { [] }
}
