internal import Access
internal import EventModel
internal import HTTPModel
internal import Logging
internal import PushGateway
internal import Signing
internal import Workers

/// Apple's public keys, fetched on demand. Concurrent callers share one fetch.
actor AppleKeys {
    enum Source: Sendable, Equatable {
        case https(HTTPSLocation)
        /// A key set on disk, reread as often as a remote one would be fetched.
        case file(String)
    }

    private static let fetchSeconds = 8.0

    private let source: Source
    private let caFile: String?
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private var cache = AppleKeyCache()
    private var fetch: Task<Void, Never>?

    init(source: Source, caFile: String?, clock: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.source = source
        self.caFile = caFile
        self.clock = clock
        self.logger = logger
    }

    /// Returns `nil` if Apple has no such key. Throws 503 while its keys are unavailable.
    func key(id: String) async throws(APIError) -> RS256PublicKey? {
        // The first fetch may be one that another caller started earlier.
        for _ in 0..<3 {
            switch cache.step(keyID: id, now: clock()) {
            case .use(let key): return key
            case .unknownKey: return nil
            case .unavailable(let retryAfter): throw AppleKeys.unavailable(retryAfter)
            case .fetch: await refresh()
            }
        }
        throw AppleKeys.unavailable(10)
    }

    private func refresh() async {
        if let fetch { return await fetch.value }
        let task = Task { await load() }
        fetch = task
        await task.value
        fetch = nil
    }

    private func load() async {
        let fault: String
        do throws(FetchError) {
            let document = try await document()
            if let keys = AppleKeySet(document.body) {
                return cache.fetched(keys, maxAge: document.maxAge, now: clock())
            }
            fault = "no RSA key for signatures is in the document"
        } catch {
            fault = "\(error)"
        }
        cache.failed(now: clock())
        logger.warning("Apple's keys cannot be had", metadata: [LogKey.error: "\(fault)"])
    }

    private func document() async throws(FetchError) -> FetchedDocument {
        switch source {
        case .file(let path):
            guard let body = InstalledFiles.contents(path, atMost: DocumentFetch.maximumBytes) else {
                throw .connection("\(path) cannot be read")
            }
            return FetchedDocument(body: body, maxAge: nil)
        case .https(let location):
            let fetch = DocumentFetch(location: location, caFile: caFile)
            return try await runBlocking { () throws(FetchError) in
                let start = ContinuousClock.now
                return try fetch.run(timeout: AppleKeys.fetchSeconds) { (ContinuousClock.now - start) / .seconds(1) }
            }
        }
    }

    private static func unavailable(_ retryAfter: Int) -> APIError {
        .unavailable("apple_keys_unavailable", "Apple's keys cannot be had now. Try again.", retryAfter: retryAfter)
    }
}
