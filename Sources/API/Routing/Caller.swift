package import EventModel
package import HTTPModel

/// The origin of a request, for limits and the audit log.
package struct Caller: Sendable {
    package var peer: String
    package var requestID: String
    /// `nil` if the sender is not authenticated.
    package var principal: Principal?

    package init(_ request: HTTPRequest, _ principal: Principal?) {
        self.init(peer: request.peerAddress, requestID: request.requestID, principal: principal)
    }

    package init(peer: String, requestID: String, principal: Principal?) {
        self.peer = peer
        self.requestID = requestID
        self.principal = principal
    }
}
