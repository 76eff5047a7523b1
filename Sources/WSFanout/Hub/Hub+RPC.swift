extension Hub {
    /// Sends the reply of a JSON-RPC session and does what it asked for; its tasks are the caller's.
    public func perform(_ rpc: RPCOutput, for subscriber: Subscriber) {
        defer { sendNotices() }
        if !rpc.reply.isEmpty { send(rpc.reply, to: subscriber) }
        for action in rpc.actions {
            guard subscriptions[subscriber] != nil else { return }
            switch action {
            case .subscribe(let filter, let position, let dialect):
                subscribe(subscriber, transport: dialect.transport, filter: filter, after: position)
            case .refilter(let filter, let dialect):
                refilter(subscriber, transport: dialect.transport, filter: filter)
            case .presence(let change, let clientID): note(change, of: clientID, at: subscriber)
            case .unsubscribe: unsubscribe(subscriber)
            case .close(let code):
                forget(subscriber)
                output.close(subscriber, code)
            }
        }
    }
}
