import RPC

/// The format in which a client gets its events.
package enum Dialect: String, Sendable, CaseIterable {
    /// `event/<type>` alone.
    case plain
    /// The events that cdev's clients know (such as `claude_message`), which are derived from the plain ones. A client
    /// that asks for the dialect or for types also gets the plain events.
    case cdev

    /// Clients whose name begins with `cdev` speak cdev.
    init(clientName: String?) {
        self = clientName?.lowercased().hasPrefix("cdev") == true ? .cdev : .plain
    }
}

extension RPCParams {
    func dialect() throws(RPCError) -> Dialect? {
        guard let word = try string("dialect") else { return nil }
        guard let dialect = Dialect(rawValue: word) else { throw .invalidParameter("dialect", "is plain or cdev") }
        return dialect
    }
}
