internal import JSON

/// The names of a session that a piece of a transcript contains.
public struct SessionNames: Sendable, Equatable {
    public struct Name: Sendable, Equatable {
        /// One line of at most 200 characters. Empty if the name was removed.
        public var text: String
        /// The time of the line, or of the last line before it that has a time.
        public var at: Timestamp
        /// The position of the line in its file, which orders names with the same time.
        public var place: Int64

        public init(text: String, at: Timestamp, place: Int64) {
            self.text = text
            self.at = at
            self.place = place
        }
    }

    /// The last name that a person gave.
    public var person: Name?
    /// The last title that the client made.
    public var client: Name?
    /// The first line of the first prompt.
    public var prompt: Name?

    public init() {}

    public var isEmpty: Bool { self == SessionNames() }
}

extension SessionNames {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, name) in [("person", person), ("client", client), ("prompt", prompt)] {
            guard let name else { continue }
            writer.beginArray(key)
            writer.string(name.text)
            writer.integer(name.at.microseconds)
            writer.integer(name.place)
            writer.endArray()
        }
        writer.endObject()
    }

    /// Ignores members that do not have the form that `write` produces.
    init(stored json: JSONValue) {
        person = json["person"]?.array.flatMap(Name.init(stored:))
        client = json["client"]?.array.flatMap(Name.init(stored:))
        prompt = json["prompt"]?.array.flatMap(Name.init(stored:))
    }
}

extension SessionNames.Name {
    fileprivate init?(stored fields: [JSONValue]) {
        guard fields.count == 3, let text = fields[0].string, let at = fields[1].integer, let place = fields[2].integer
        else { return nil }
        self.init(text: text, at: Timestamp(microseconds: at), place: place)
    }
}
