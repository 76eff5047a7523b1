package import API
package import EventModel
package import JSON

/// A text that a person sends to a session, or an interruption.
package struct SessionMessage: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case message
        case interrupt
    }

    package enum State: String, Sendable, CaseIterable {
        case queued
        /// The message was written to the session, or the interruption was applied.
        case delivered
        /// The session has accepted the message as a prompt.
        case read
        case cancelled
        case failed

        package var isOver: Bool { self == .read || self == .cancelled || self == .failed }
    }

    package var id: String
    package var sessionID: String
    package var machine: MachineID
    /// The id that the client gave the message.
    package var clientID: String
    package var kind: Kind
    /// `nil` for an interruption, or if the content policy does not keep the text.
    package var text: String?
    /// The text is a slash command, and not for the model.
    package var isCommand = false
    /// The number of pictures in it.
    package var imageCount: Int64 = 0
    /// The interruption also takes back what waits for the end of the turn.
    package var cancelsQueued = false
    package var author: Actor
    package var state: State
    package var detail: String?
    package var queuedAt: Timestamp
    package var deliveredAt: Timestamp?
    package var endedAt: Timestamp?

    /// The message in the REST API.
    package static let shape = ObjectShape<SessionMessage>("SessionMessage") { it in
        it.member("id") { $0.id }
        it.member("message_id") { $0.clientID }
        it.member("session_id") { $0.sessionID }
        it.word("kind") { $0.kind }
        it.member("text") { $0.text }
        it.member("images", as: JSONSchema.count) { $0.imageCount > 0 ? $0.imageCount : nil }
        it.member("as", as: JSONSchema.words("command")) { $0.isCommand ? "command" : nil }
        it.member("cancel_queued", as: JSONSchema.flag) { $0.cancelsQueued ? true : nil }
        it.object("by", Actor.shape) { $0.author }
        it.word("state") { $0.state }
        it.member("detail") { $0.detail }
        it.member("queued_at") { $0.queuedAt }
        it.member("delivered_at") { $0.deliveredAt }
        it.member("read_at") { $0.state == .read ? $0.endedAt : nil }
        it.member("cancelled_at") { $0.state == .cancelled ? $0.endedAt : nil }
        it.member("failed_at") { $0.state == .failed ? $0.endedAt : nil }
    }
}

/// Recognizes a message in the prompt of a UserPromptSubmit event, which the content policy may have masked and cut.
struct MessageReceipt {
    /// The number of characters that are compared. The policy keeps more of a prompt.
    private static let comparedCharacters = 80

    /// - Parameters:
    ///   - prompt: the prompt as stored.
    ///   - text: the message's text, masked in the same way.
    static func isSame(_ prompt: String, _ text: String) -> Bool { beginning(prompt) == beginning(text) }

    /// Returns the beginning of the text without white space. The session may drop white space at the ends.
    private static func beginning(_ text: String) -> [Unicode.Scalar] {
        Array(
            text.unicodeScalars.drop { $0.properties.isWhitespace }.filter { !$0.properties.isWhitespace }
                .prefix(comparedCharacters)
        )
    }
}
