extension Hub {
    /// Sends the reply of a JSON-RPC session and does what it asked for; its tasks are the caller's.
    public func perform(_ rpc: RPCOutput, for subscriber: Subscriber) {
        if !rpc.reply.isEmpty { send(rpc.reply, to: subscriber) }
        for action in rpc.actions {
            guard subscriptions[subscriber] != nil else { return }
            switch action {
            case .subscribe(let filter, let position):
                subscribe(subscriber, transport: .jsonRPC, filter: filter, after: position)
            case .unsubscribe: unsubscribe(subscriber)
            case .close(let code):
                remove(subscriber)
                output.close(subscriber, code)
            }
        }
    }
}
