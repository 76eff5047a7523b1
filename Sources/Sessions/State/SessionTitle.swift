internal import EventModel

/// The names of a session by their sources. The order in which they arrive does not matter.
///
/// The title is the name that a person gave, else the client's own title, else the first line of the first prompt, else
/// the last part of the directory.
struct SessionTitle: Sendable, Equatable {
    /// The latest name that a person gave. Empty if the person removed it.
    var person: Register<String>?
    /// The latest title that the client made.
    var client: Register<String>?
    /// The first line of the first prompt.
    var prompt: Register<String>?

    /// `nil` if nothing is known.
    func shown(directory: String?) -> (text: String, source: Session.TitleSource)? {
        let given: [(String?, Session.TitleSource)] = [
            (person?.value, .person), (client?.value, .client), (prompt?.value, .prompt),
            (directory.map(DirectoryPath.lastPart), .directory),
        ]
        for case (let text?, let source) in given where !text.isEmpty { return (text, source) }
        return nil
    }

    mutating func take(_ names: SessionNames) {
        if let name = names.person { person.set(name.text, at: name.order) }
        if let name = names.client { client.set(name.text, at: name.order) }
        if let name = names.prompt, !name.text.isEmpty { prompt.setFirst(name.text, at: name.order) }
    }
}

extension SessionNames.Name {
    /// The place in the file orders names of the same time. Claude Code writes titles without a time.
    fileprivate var order: EventOrder { EventOrder(time: at, id: EventID(high: 0, low: UInt64(max(0, place)))) }
}
