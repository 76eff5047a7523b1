package import JSON

/// A message from the other end (JSON-RPC 2.0 sections 4 to 6).
enum RPCMessage {
    /// At least one item. If the message is not a batch, exactly one.
    case items([RPCItem], isBatch: Bool)
    case refused(RPCError)

    /// The number of requests for which the message counts.
    var cost: Int {
        if case .items(let items, _) = self { items.count } else { 1 }
    }

    /// - Parameter value: `nil` if the message is not JSON.
    init(_ value: JSONValue?, maxBatch: Int) {
        guard let value else {
            self = .refused(.parseError())
            return
        }
        guard case .array(let items) = value else {
            self = .items([RPCItem(value)], isBatch: false)
            return
        }
        switch items.count {
        case 0: self = .refused(.invalidRequest("the batch is empty"))
        case ...maxBatch: self = .items(items.map { RPCItem($0) }, isBatch: true)
        default: self = .refused(.invalidRequest("a batch holds at most \(maxBatch) requests"))
        }
    }
}

/// One request, notification or response.
package enum RPCItem {
    case request(id: JSONValue, method: String, params: JSONValue?)
    case notification(method: String, params: JSONValue?)
    case response(id: JSONValue?, RPCOutcome)
    /// `id` is `null` if the request has no id that may be echoed.
    case invalid(id: JSONValue, RPCError)

    package init(_ value: JSONValue) {
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
            self = .response(id: id, RPCItem.outcome(value))
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

    /// An `error` of null counts as absent, because some implementations send it along with a result.
    private static func outcome(_ value: JSONValue) -> RPCOutcome {
        if let error = value["error"], error != .null { return .failed(RPCError(received: error)) }
        return value["result"].map { .completed($0) } ?? .failed(.invalidResponse())
    }

    private static func mayIdentify(_ id: JSONValue) -> Bool {
        switch id {
        case .string, .integer, .number, .null: true
        case .bool, .array, .object: false
        }
    }
}
