package import EventModel
package import Persistence

/// A stored message of a plain chat.
package struct PlainChatMessage: Sendable {
    package var at: Timestamp
    /// Orders the messages of one time.
    package var number: Int64
    /// A line of a transcript: a JSON object.
    package var line: [UInt8]
}

/// Selects messages of a plain chat.
package struct PlainChatMessageQuery: Sendable {
    package var chat: String
    /// Only messages after this one, in the order of the query.
    package var after: (at: Timestamp, number: Int64)?
    package var isDescending: Bool
    package var offset: Int
    package var limit: Int
    /// Bytes of all lines.
    package var maxBytes: Int

    package init(
        chat: String,
        after: (at: Timestamp, number: Int64)?,
        isDescending: Bool,
        offset: Int,
        limit: Int,
        maxBytes: Int
    ) {
        (self.chat, self.after, self.isDescending) = (chat, after, isDescending)
        (self.offset, self.limit, self.maxBytes) = (offset, limit, maxBytes)
    }
}

package struct PlainChatMessages: Sendable {
    package var messages: [PlainChatMessage]
    package var hasMore: Bool
    /// Whether the bytes ended the page.
    package var isCut: Bool
    /// The number of all messages of the chat.
    package var total: Int64
}

extension PostgresStore {
    package func messages(_ query: PlainChatMessageQuery) async throws(PersistenceError) -> PlainChatMessages {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: query.chat,
                query.after?.at,
                query.after?.number,
                Int64(query.limit) + 1,
                Int64(max(0, query.offset)),
                Int64(query.maxBytes)
            )
            let statement = PlainChatStatements.messages(isDescending: query.isDescending)
            let rows = Array(try connection.query(statement, parameters).rows)
            let matching: Int64 = try rows.first?.value(3) ?? 0
            let messages = try rows.prefix(query.limit).map { row throws(PersistenceError) in
                try row.make(PlainChatMessage.init(at:number:line:))
            }
            return PlainChatMessages(
                messages: messages,
                hasMore: matching > messages.count,
                isCut: rows.count < matching,
                total: try connection.query(
                    PlainChatStatements.countMessages,
                    Parameters(of: query.chat)
                ).firstValue() ?? 0
            )
        }
    }
}
