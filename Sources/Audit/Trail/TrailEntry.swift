package import EventModel
package import JSON
internal import Signing

/// The record of an answer or a message. Contains only what the content policy keeps.
package struct TrailEntry: Sendable {
    /// The key is the same for each attempt to record the entry.
    var key: String
    var at: Timestamp
    var sessionID: String
    /// JSON.
    var text: [UInt8]

    /// - Parameter fields: writes the members of the entry.
    package init(_ key: String, _ at: Timestamp, _ sessionID: String, _ fields: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        fields(&writer)
        writer.endObject()
        (self.key, self.at, self.sessionID, text) = (key, at, sessionID, writer.bytes)
    }
}

/// An entry of the chain. `link` is the SHA-256 of the previous entry's link and this `digest`.
package struct TrailRecord: Sendable {
    package var id: Int64
    package var at: Timestamp
    /// JSON; `nil` after it was erased.
    package var entry: [UInt8]?
    package var digest: [UInt8]
    package var link: [UInt8]

    package static let shape = ObjectShape<TrailRecord>("TrailRecord") { it in
        it.member("id") { String($0.id) }
        it.member("at") { $0.at }
        it.member("entry") { $0.entry.map(JSONText.init) }
        it.member("entry_text") { $0.entry.map { String(decoding: $0, as: UTF8.self) } }
        it.member("digest") { Hex.encode($0.digest) }
        it.member("link") { Hex.encode($0.link) }
    }
}
