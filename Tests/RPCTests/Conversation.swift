import EventModel
import JSON

@testable import RPC

let start = Timestamp(microseconds: 1_767_607_200_000_000)

func makePeer(_ change: (inout RPCPeer.Limits) -> Void = { _ in }) -> RPCPeer {
    var limits = RPCPeer.Limits()
    change(&limits)
    return RPCPeer(limits: limits) { try? JSONValue.parse($0, maxDepth: 32) }
}

extension RPCPeer {
    mutating func hear(_ text: String, at seconds: Double = 0) -> [Action] {
        receive([UInt8](text.utf8), now: start.adding(seconds: seconds))
    }

    /// Calls with a deadline so many seconds from the start.
    mutating func begin(_ method: String, within seconds: Double = 10) throws -> (call: RPCCallID, text: String) {
        let (call, action) = try call(method, deadline: start.adding(seconds: seconds)) { $0.field("n", 1) }
        return (call, [action].texts.first ?? "")
    }
}

extension [RPCPeer.Action] {
    var texts: [String] {
        compactMap { if case .send(let text) = $0 { String(decoding: text, as: UTF8.self) } else { nil } }
    }

    var requests: [RPCRequest] {
        compactMap { if case .deliver(let request) = $0 { request } else { nil } }
    }

    /// The codes of the errors that are sent, those of a batch too.
    var codes: [Int64] {
        texts.flatMap { text in
            let json = (try? JSONValue.parse([UInt8](text.utf8))) ?? .null
            return (json.array ?? [json]).compactMap { $0["error"]?["code"]?.integer }
        }
    }
}
