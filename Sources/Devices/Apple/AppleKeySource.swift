package import HTTPClient
internal import Host
internal import Workers

/// Where Apple's public keys come from.
package enum AppleKeySource: Sendable, Equatable {
    case https(HTTPSLocation)
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
                throw .connection("\(path) cannot be read")
            }
            return FetchedDocument(body: body, maxAge: nil)
        case .https(let location):
            let fetch = DocumentFetch(location: location, caFile: caFile)
            return try await runBlocking { () throws(FetchError) in
                let start = seconds()
                return try fetch.run(timeout: AppleKeySource.fetchSeconds) { seconds() - start }
            }
        }
    }
}
