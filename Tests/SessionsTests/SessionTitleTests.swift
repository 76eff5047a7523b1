import EventModel
import Testing

@testable import Sessions

@Suite("Title")
struct SessionTitleTests {
    private static func name(_ text: String, _ second: Int64, place: Int64 = 0) -> SessionNames.Name {
        SessionNames.Name(text: text, at: Story.time(second), place: place)
    }

    private static func growth(_ names: SessionNames, at second: Int64, id: UInt64) -> MonitorEvent {
        var event = Story.event(.stop, at: second, id: id)
        (event.type, event.hookEventName, event.payload) = (.transcript, nil, Array("{}".utf8))
        var report = SessionReport()
        report.isActivity = true
        report.names = names
        event.facts.report = report
        return event
    }

    private static func names(_ change: (inout SessionNames) -> Void) -> SessionNames {
        var names = SessionNames()
        change(&names)
        return names
    }

    /// Events that name the session, from the weakest source to the strongest.
    private static let sources: [(event: MonitorEvent, text: String, source: Session.TitleSource)] = [
        (Story.event(.sessionStart, at: 1, id: 1), "app", .directory),
        (prompted("fix it", at: 2, id: 2), "fix it", .prompt),
        (growth(names { $0.client = name("Automatic", 3) }, at: 3, id: 3), "Automatic", .client),
        (growth(names { $0.person = name("My name", 4) }, at: 4, id: 4), "My name", .person),
    ]

    private static func prompted(_ text: String, at second: Int64, id: UInt64) -> MonitorEvent {
        var event = Story.event(.userPromptSubmit, at: second, id: id)
        event.summary = text
        return event
    }

    @Test("the strongest source counts, in all orders of arrival", arguments: 1..<16)
    func precedence(_ chosen: Int) throws {
        let known = SessionTitleTests.sources.indices.filter { chosen >> $0 & 1 == 1 }
            .map { SessionTitleTests.sources[$0] }
        let best = try #require(known.last)
        for order in SessionTitleTests.permutations(known.map(\.event)) {
            let session = try #require(Story(order).fold.session)
            #expect(session.title == best.text)
            #expect(session.titleSource == best.source)
        }
    }

    @Test("the client repeats its title after the person's name")
    func repeated() throws {
        var story = Story([SessionTitleTests.sources[3].event])
        _ = story.take(
            SessionTitleTests.growth(
                SessionTitleTests.names { $0.client = SessionTitleTests.name("Auto", 9) },
                at: 9,
                id: 9
            )
        )
        #expect(try story.session.title == "My name")
    }

    @Test("of two names of a person the later counts; at one time, the later in the file", arguments: 0..<20)
    func later(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let events = [("a", Int64(10)), ("b", 20), ("c", 30)].enumerated().map { index, name in
            let names = SessionTitleTests.names { $0.person = SessionTitleTests.name(name.0, 4, place: name.1) }
            return SessionTitleTests.growth(
                names,
                at: 4,
                id: UInt64.random(in: 0...9, using: &random) * 10 + UInt64(index)
            )
        }
        #expect(Story(events.shuffled(using: &random)).fold.session?.title == "c")
    }

    @Test("an empty name of a person gives the title back to the client")
    func removed() throws {
        var story = Story(SessionTitleTests.sources.map(\.event))
        let empty = SessionTitleTests.names { $0.person = SessionTitleTests.name("", 8) }
        _ = story.take(SessionTitleTests.growth(empty, at: 8, id: 8))
        #expect(try (story.session.title, story.session.titleSource) == ("Automatic", .client))
    }

    @Test("the first prompt counts, whether a hook or a transcript reports it")
    func firstPrompt() throws {
        let told = SessionTitleTests.names { $0.prompt = SessionTitleTests.name("first", 1) }
        let events = [SessionTitleTests.prompted("second", at: 5, id: 5), SessionTitleTests.growth(told, at: 9, id: 9)]
        for order in [events, events.reversed()] { #expect(Story(order).fold.session?.title == "first") }
    }

    @Test("a prompt without content gives no title")
    func withoutContent() throws {
        let story = Story([SessionTitleTests.prompted("UserPromptSubmit", at: 1, id: 1)])
        #expect(try (story.session.title, story.session.titleSource) == ("app", .directory))
    }

    @Test("counts of transcripts and hooks are not added")
    func counts() throws {
        var growth = SessionTitleTests.growth(SessionNames(), at: 9, id: 9)
        growth.facts.report?.messages = 4
        growth.facts.report?.toolCalls = 1
        let story = Story([
            Story.event(.userPromptSubmit, at: 1, id: 1), Story.event(.postToolUse, at: 2, id: 2),
            Story.event(.postToolUse, at: 3, id: 3), Story.event(.stop, at: 4, id: 4), growth,
        ])
        #expect(try (story.session.messageCount, story.session.toolCallCount) == (4, 2))
    }

    private static func permutations(_ events: [MonitorEvent]) -> [[MonitorEvent]] {
        guard events.count > 1 else { return [events] }
        return events.indices.flatMap { index in
            var rest = events
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }
}
