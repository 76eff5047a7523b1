package import JSON
import RPC

extension CdevHost {
    /// What a client that leaves `initialize` out would have sent first: a notification, which has no answer. Returns
    /// `nil` if the client's first message begins with `initialize`, or is no call.
    package static func impliedOpening(before message: JSONValue?) -> [UInt8]? {
        let first: JSONValue? = if case .array(let items)? = message { items.first } else { message }
        guard let method = first?["method"]?.string, method != LifecycleMethods.initialize.name else { return nil }
        return Array(#"{"jsonrpc":"2.0","method":"initialize","params":{"clientInfo":{"name":"cdev"}}}"#.utf8)
    }
}
