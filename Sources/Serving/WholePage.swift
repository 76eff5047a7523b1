internal import CdevDialect
internal import EventModel
internal import Persistence
internal import Transcripts
internal import WSFanout

/// A page of the log for cdev's clients and for sockets of one session, with the messages that its transcript events
/// contain.
struct WholePage {
    private var events: ArraySlice<CommittedEvent>
    private var grown: [Int64: GrownMessages] = [:]
    private var before: [(age: Int, event: CommittedEvent)] = []
    private var promptNames: [EventID: String] = [:]
    /// False if the page ends before the last event because of the size of the messages.
    let isAll: Bool

    /// - Parameter maxBytes: the limit for the messages' lines. A single event may have more.
    static func read(
        _ events: [CommittedEvent],
        from store: PostgresStore,
        maxBytes: Int
    ) async throws(PersistenceError) -> WholePage {
        var grown: [Int64: GrownMessages] = [:]
        var bytes = 0
        var end = events.endIndex
        for (index, event) in events.enumerated() where event.event.type == .transcript {
            let messages = try await store.grownMessages(event)
            bytes += messages.bytes
            if bytes > maxBytes, index > 0 {
                end = index
                break
            }
            grown[event.seq] = messages
        }
        let page = events[..<end]
        let told = page.filter { event in
            event.event.type == .transcript || ConversationMessage.hookTypes.contains(event.event.type)
        }
        let before = try await store.growth(
            of: Set(told.compactMap(\.event.sessionID)),
            before: page.first?.seq ?? 0,
            events: ToldByTranscript.window
        )
        let names = try await store.promptNames(of: page.permissionRequests)
        return WholePage(
            events: page,
            grown: grown,
            before: before,
            promptNames: names,
            isAll: end == events.endIndex
        )
    }

    func encoded(epoch: String) -> [EncodedEvent] {
        PromptTrackers(names: promptNames, after: before).encode(Array(events), epoch: epoch, grown: grown).events
    }
}

extension Sequence<CommittedEvent> {
    /// Such a request does not say which call it is about. The call's start may lie before these events.
    var permissionRequests: [EventID] {
        filter { $0.event.hookEventName?.known == .permissionRequest }.map(\.event.id)
    }
}
