/// A small document and how long it may be cached.
package struct FetchedDocument: Sendable, Equatable {
    package var body: [UInt8]
    /// Seconds from now, by `Cache-Control` and `Age` (RFC 9111 section 4.2); `nil` if the response does not say.
    package var maxAge: Int?

    package init(body: [UInt8], maxAge: Int?) {
        self.body = body
        self.maxAge = maxAge
    }

    init(_ response: OutboundResponse) throws(FetchError) {
        guard response.head.status == 200 else { throw .status(response.head.status) }
        body = response.body
        maxAge = FetchedDocument.maxAge(response.head)
    }

    private static func maxAge(_ head: ResponseHead) -> Int? {
        let directives = head.values("cache-control")
            .flatMap { $0.lowercased().split(separator: ",").map { ResponseHead.trimmed($0) } }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        guard let text = directives.first(where: { $0.hasPrefix("max-age=") })?.dropFirst("max-age=".count),
            let seconds = Int(text), seconds >= 0
        else { return nil }
        let age = head.values("age").first.flatMap { Int($0) } ?? 0
        return max(0, seconds - max(0, age))
    }
}

/// Why a document could not be fetched. Safe to print. A later retry may help.
package enum FetchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A file that cannot be read.
    case unreadable(String)
    case exchange(OutboundError)
    case status(Int)

    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .exchange(let error): error.description
        case .status(let code): "the answer's status is \(code)"
        }
    }
}

/// A GET for a document that is fetched a few times a day.
package struct DocumentFetch: Sendable {
    package static let maximumBytes = 256 << 10
    private let location: HTTPLocation
    private let client: OutboundClient

    package init(location: HTTPLocation, client: OutboundClient) {
        (self.location, self.client) = (location, client)
    }

    /// - Parameter timeout: seconds after the name is resolved.
    package func run(timeout: Double) async throws(FetchError) -> FetchedDocument {
        var request = OutboundRequest(.get, location)
        request.set("Accept", "application/json")
        let limits = OutboundLimits(seconds: timeout, bytes: DocumentFetch.maximumBytes)
        let response: OutboundResponse
        do throws(OutboundError) {
            response = try await client.response(to: request, within: limits)
        } catch {
            throw .exchange(error)
        }
        return try FetchedDocument(response)
    }
}
