package import JSON

/// The result of an input of a session. Send `messages`, then perform `actions` in order, then obey `end`. `tasks` may
/// run concurrently.
package struct RPCOutput<Host: RPCHost>: Sendable {
    /// JSON texts, without the transport's frames.
    package internal(set) var messages: [[UInt8]] = []
    package internal(set) var actions: [Host.Action] = []
    package internal(set) var tasks: [RPCTask<Host>] = []
    /// The calls of this end that are over.
    package internal(set) var outcomes: [(call: RPCCallID, outcome: RPCOutcome)] = []
    /// Close the connection.
    package internal(set) var end: RPCEnd?

    package var isEmpty: Bool {
        messages.isEmpty && actions.isEmpty && tasks.isEmpty && outcomes.isEmpty && end == nil
    }
}

/// How a call of this end ended.
package enum RPCOutcome: Sendable, Equatable {
    case completed(JSONValue)
    case failed(RPCError)
    /// There was no answer by the deadline. It is unknown whether the call was carried out, as with `ended`.
    case timedOut
    /// The conversation ended before the answer.
    case ended
}

/// Why a session ends the conversation.
package enum RPCEnd: Sendable, Equatable {
    /// A method ended it.
    case finished
    /// The other end did not make the opening call in time.
    case notOpened
    /// The other end exceeds the rate limit.
    case flooded
}
