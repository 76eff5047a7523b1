public import EventModel

/// What a client's conversation asks of the hub.
public enum HubAction: Sendable, Equatable {
    case subscribe(EventFilter, after: StreamPosition, transport: Transport = .jsonRPC)
    /// Another filter for the running subscription, which keeps its place; where none runs, one from the head.
    case refilter(EventFilter, transport: Transport = .jsonRPC)
    /// Says where the client now is.
    case presence(PresenceChange, of: String)
    case unsubscribe
    case close(CloseCode)
}

extension Hub {
    /// Sends a reply and then does what was asked for, in order.
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
            case .unsubscribe: unsubscribe(subscriber)
            case .close(let code):
                forget(subscriber)
                output.close(subscriber, code)
            }
        }
    }
}
