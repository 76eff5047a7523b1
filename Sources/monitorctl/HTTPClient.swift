import Foundation
import FoundationNetworking

/// Sends requests to the server, with the admin token unless another credential is given. Does not follow redirects,
/// so that the credential is sent to no other server.
struct HTTPClient: Sendable {
    struct Reply: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
    }

    enum Authorization: Sendable {
        case none
        case admin
        case bearer(String)
    }

    let server: URL
    private let token: String?
    private let tokenFault: String?

    init(_ credentials: Credentials) {
        server = credentials.server
        token = credentials.token
        tokenFault = credentials.tokenFault
    }

    /// Returns the body of a 2xx response. Throws for any other response.
    func get(_ path: String, query: [URLQueryItem] = []) async throws(CommandError) -> Data {
        try await expectSuccess(send("GET", path, query: query)).body
    }

    func expectSuccess(_ reply: Reply) throws(CommandError) -> Reply {
        guard (200..<300).contains(reply.status) else {
            throw ServerFault(status: reply.status, body: reply.body).error(server: server.absoluteString)
        }
        return reply
    }

    /// Returns any response, whatever its status.
    ///
    /// - Parameter timeout: in seconds.
    func send(
        _ method: String,
        _ path: String,
        query: [URLQueryItem] = [],
        body: Data? = nil,
        authorization: Authorization = .admin,
        timeout: Double = 15
    ) async throws(CommandError) -> Reply {
        var request = try self.request(method, path, query: query, authorization: authorization)
        request.timeoutInterval = timeout
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let session = URLSession(configuration: .ephemeral, delegate: RedirectRefusal(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        do {
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else {
                throw CommandError.unreachable(server.absoluteString, "not an HTTP answer")
            }
            return Reply(status: response.statusCode, headers: response.textHeaders, body: data)
        } catch let error as CommandError {
            throw error
        } catch {
            throw transportFault(error)
        }
    }

    func request(
        _ method: String,
        _ path: String,
        query: [URLQueryItem],
        authorization: Authorization
    ) throws(CommandError) -> URLRequest {
        var parts = URLComponents(url: server, resolvingAgainstBaseURL: false) ?? URLComponents()
        parts.percentEncodedPath = (parts.percentEncodedPath.hasSuffix("/") ? "" : parts.percentEncodedPath) + path
        parts.queryItems = query.isEmpty ? nil : query
        guard let url = parts.url else { throw .refused("\(server.absoluteString)\(path) is not an address") }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method
        request.setValue("monitorctl/\(Monitorctl.version)", forHTTPHeaderField: "User-Agent")
        switch authorization {
        case .none: break
        case .bearer(let credential): request.setValue("Bearer \(credential)", forHTTPHeaderField: "Authorization")
        case .admin:
            guard let token else { throw tokenFault.map { .refused($0) } ?? .noToken }
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// The library's text, such as "SSL certificate problem: ...".
    private static func reason(_ text: String) -> String {
        text.contains("certificate") ? text + "; see --ca-file and MONITOR_CA_FILE" : text
    }

    func transportFault(_ error: any Error) -> CommandError {
        let reason =
            switch (error as? URLError)?.code {
            case .cannotConnectToHost: "connection refused"
            case .timedOut: "no answer in time"
            case .cannotFindHost, .dnsLookupFailed: "unknown host"
            case .networkConnectionLost: "connection lost"
            default: HTTPClient.reason(error.localizedDescription.replacingOccurrences(of: "\n", with: " "))
            }
        return .unreachable(server.absoluteString, reason)
    }
}

extension HTTPURLResponse {
    /// Names in lower case.
    var textHeaders: [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in allHeaderFields {
            headers["\(name)".lowercased()] = "\(value)"
        }
        return headers
    }
}

private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
