internal import Access
package import EventModel
package import HTTPClient
internal import HTTPModel
package import Logging
internal import Signing

/// Apple's public keys, fetched on demand. Concurrent callers share one fetch.
package actor AppleKeys {
    private let document: @Sendable () async throws(FetchError) -> FetchedDocument
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private var cache = AppleKeyCache()
    private var fetch: Task<Void, Never>?

    /// - Parameter document: fetches the key set.
    package init(
        document: @escaping @Sendable () async throws(FetchError) -> FetchedDocument,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.document = document
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
            let document = try await self.document()
            if let keys = AppleKeySet(document.body) {
                return cache.fetched(keys, maxAge: document.maxAge, now: clock())
            }
            fault = "no RSA key for signatures is in the document"
        } catch {
            fault = "\(error)"
        }
        cache.failed(now: clock())
        logger.warning("Apple's keys cannot be had", metadata: ["error": "\(fault)"])
    }

    private static func unavailable(_ retryAfter: Int) -> APIError {
        .unavailable("apple_keys_unavailable", "Apple's keys cannot be had now. Try again.", retryAfter: retryAfter)
    }
}
