package import JSON

/// How a turn of a chat ended.
package struct ChatEnd: Sendable, Equatable {
    /// What went wrong.
    package struct Failure: Sendable, Equatable {
        package enum Kind: String, Sendable {
            /// Claude Code's words are in the message.
            case api
            case modelNotFound = "model_not_found"
            case rateLimit = "rate_limit"
            case notLoggedIn = "not_logged_in"
            /// The model took back text that was sent.
            case retracted
            case interrupted
            /// The client does not take the functions or the schema.
            case unusable
            /// The client ended by itself.
            case gone
        }

        package var kind: Kind
        package var message: String
        /// The API's status.
        package var status: Int64?

        package init(_ kind: Kind, _ message: String, status: Int64? = nil) {
            (self.kind, self.message, self.status) = (kind, message, status)
        }
    }

    /// The API's word, such as `end_turn`, `max_tokens`, `stop_sequence` or `refusal`.
    package var stopReason: String?
    /// What the model waits for. The turn goes on with the results.
    package var calls: [ChatCall] = []
    /// The model that answered.
    package var model: String?
    package var usage: JSONValue?
    /// US dollars by the client's own price list.
    package var cost: Double?
    package var failure: Failure?

    package init() {}
}
