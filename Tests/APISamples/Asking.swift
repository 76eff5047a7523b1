import API
import EventModel
import HTTPModel
import JSON

extension [Route] {
    /// The status and body of an answer; of a failing one the error.
    package func ask(
        _ method: HTTPMethod,
        _ path: String,
        _ query: String = "",
        body: String = "",
        by principal: Principal? = nil
    ) async throws -> (status: Int, body: JSONValue) {
        guard case .route(let route, let parameters) = Router(self).match(method, path) else { return (0, .null) }
        let request = HTTPRequest(method: method, path: path, query: query, body: [UInt8](body.utf8))
        do {
            let routed = RouteRequest(http: request, principal: principal, parameters: parameters)
            let response = try await route.handler(routed)
            return (response.status, try JSONValue.parse(response.body))
        } catch let error as APIError {
            return (error.status, try JSONValue.parse(error.response(requestID: "r").body)["error"] ?? .null)
        }
    }

    package func get(
        _ path: String,
        _ query: String = "",
        by principal: Principal? = nil
    ) async throws -> (status: Int, body: JSONValue) {
        try await ask(.get, path, query, by: principal)
    }
}
