package import EventModel

/// A client's request to start Claude Code.
package struct RPCStart: Sendable {
    /// The owner of the WebSocket.
    package var principal: Principal
    package var method: String
    /// The project in which to start.
    package var workspaceID: String
    /// The session to go on with; `nil` starts a new one.
    package var resume: String?
    /// The client's own UUID for a new session, which makes a repeat harmless.
    package var sessionID: String?
    package var permissionMode: String?
    /// The first message.
    package var prompt: String?
}
