package import HTTPClient
internal import Host

/// Where Apple's public keys come from.
package enum AppleKeySource: Sendable, Equatable {
    case https(HTTPLocation)
    /// A key set on disk, reread as often as a remote one would be fetched.
    case file(String)

    private static let fetchSeconds = 8.0

    /// - Parameters:
    ///   - caFile: the certificate authorities of the remote server; `nil` means those of the system.
    ///   - seconds: a monotonic clock.
    package func document(
        caFile: String?,
        seconds: @escaping @Sendable () -> Double
    ) async throws(FetchError) -> FetchedDocument {
        switch self {
        case .file(let path):
            guard let body = InstalledFiles.contents(path, atMost: DocumentFetch.maximumBytes) else {
                throw .unreadable(path)
            }
            return FetchedDocument(body: body, maxAge: nil)
        case .https(let location):
            let client = OutboundClient(rules: .any, caFile: caFile, clock: seconds)
            return try await DocumentFetch(location: location, client: client).run(timeout: AppleKeySource.fetchSeconds)
        }
    }
}
