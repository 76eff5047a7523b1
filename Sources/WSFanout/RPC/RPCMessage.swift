import JSON

/// What a client's message turns out to be (JSON-RPC 2.0 sections 4 and 6).
enum RPCMessage {
    case single(RPCItem)
    /// At least one, at most `maxBatch`.
    case batch([RPCItem])
    case refused(RPCError)

    static let maxBatch = 50

    /// How many requests it counts for.
    var cost: Int {
        if case .batch(let items) = self { items.count } else { 1 }
    }

    init(_ value: JSONValue?) {
        guard let value else {
            self = .refused(.parseError())
            return
        }
        guard case .array(let items) = value else {
            self = .single(RPCItem(value))
            return
        }
        switch items.count {
        case 0: self = .refused(.invalidRequest("the batch is empty"))
        case ...RPCMessage.maxBatch: self = .batch(items.map { RPCItem($0) })
        default: self = .refused(.invalidRequest("a batch holds at most \(RPCMessage.maxBatch) requests"))
        }
    }
}

enum RPCItem {
    case request(id: JSONValue, method: String, params: JSONValue?)
    case notification(method: String, params: JSONValue?)
    /// An answer; the server asks nothing, so there is nothing to do with it.
    case response
    /// `id` is `null` where the request has none that may be echoed.
    case invalid(id: JSONValue, RPCError)

    init(_ value: JSONValue) {
        guard value.isObject else {
            self = .invalid(id: .null, .invalidRequest("not an object"))
            return
        }
        let id = value["id"]
        if let id, !RPCItem.mayIdentify(id) {
            self = .invalid(id: .null, .invalidRequest("id is neither string, number nor null"))
            return
        }
        if value["method"] == nil, value["result"] != nil || value["error"] != nil {
            self = .response
            return
        }
        do throws(RPCError) {
            let (method, params) = try RPCItem.call(value)
            self =
                id.map { .request(id: $0, method: method, params: params) }
                ?? .notification(method: method, params: params)
        } catch {
            self = .invalid(id: id ?? .null, error)
        }
    }

    private static func call(_ value: JSONValue) throws(RPCError) -> (method: String, params: JSONValue?) {
        guard value["jsonrpc"]?.string == "2.0" else { throw .invalidRequest("jsonrpc is not \"2.0\"") }
        guard let method = value["method"]?.string else { throw .invalidRequest("method is not a string") }
        switch value["params"] {
        case nil, .null?: return (method, nil)
        case .object?, .array?: return (method, value["params"])
        default: throw .invalidRequest("params is neither object nor array")
        }
    }

    private static func mayIdentify(_ id: JSONValue) -> Bool {
        switch id {
        case .string, .integer, .number, .null: true
        case .bool, .array, .object: false
        }
    }
}
