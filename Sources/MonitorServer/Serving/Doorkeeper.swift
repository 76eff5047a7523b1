internal import Access
internal import HTTPModel
internal import Logging

/// Says who may do what, and keeps count of those who were turned away.
struct Doorkeeper: Sendable {
    let authenticator: Authenticator
    let metrics: ServerMetrics
    let logger: Logger

    @Sendable func admitOperator(_ request: HTTPRequest) throws(APIError) {
        try authorize(request, for: .administer)
    }

    @discardableResult
    func authorize(_ request: HTTPRequest, for scope: Scope) throws(APIError) -> Principal {
        do {
            return try authenticator.authorize(request, for: scope)
        } catch {
            guard error.status == 401 || error.status == 403 else { throw error }
            metrics.update { $0.refusedLogins += 1 }
            logger.info(
                "refused",
                metadata: [
                    LogKey.requestID: "\(request.requestID)", LogKey.peer: "\(request.peerAddress)",
                    LogKey.code: "\(error.code)",
                ]
            )
            throw error
        }
    }
}
