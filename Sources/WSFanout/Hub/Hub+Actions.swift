public import EventModel

/// An action that a client's conversation requests of the hub.
public enum HubAction: Sendable, Equatable {
    case subscribe(EventFilter, after: StreamPosition, transport: Transport = .jsonRPC)
    /// Changes the filter of the running subscription, which keeps its position. Without one, subscribes from the
    /// head.
    case refilter(EventFilter, transport: Transport = .jsonRPC)
    /// Reports the client's new location.
    case presence(PresenceChange, of: String)
    /// Follows a workspace without changing the subscription; without parts, no longer.
    case follow(workspace: String, WorkspaceParts)
    case unsubscribe
    case close(CloseCode)
}

extension Hub {
    /// Sends a reply and then performs the actions in order.
    ///
    /// - Parameter reply: whole frames; may be empty.
    public func perform(_ actions: [HubAction], after reply: [UInt8] = [], for subscriber: Subscriber) {
        defer { sendNotices() }
        if !reply.isEmpty { send(reply, to: subscriber) }
        for action in actions {
            guard subscriptions[subscriber] != nil else { return }
            switch action {
            case .subscribe(let filter, let position, let transport):
                subscribe(subscriber, transport: transport, filter: filter, after: position)
            case .refilter(let filter, let transport): refilter(subscriber, transport: transport, filter: filter)
            case .presence(let change, let clientID): note(change, of: clientID, at: subscriber)
            case .follow(let workspace, let parts): followers.request(parts, of: workspace, by: subscriber)
            case .unsubscribe: unsubscribe(subscriber)
            case .close(let code):
                forget(subscriber)
                output.close(subscriber, code)
            }
        }
    }
}
