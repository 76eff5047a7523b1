package import EventModel
import JSON
import Sessions
import Transcripts
package import WSFanout

/// An event's notifications for clients that speak cdev: the derived events, and then the event itself, or in its place
/// the derived event with its name. All carry the event's position in the log. All except the last carry `more`,
/// because the position is reached only with the last.
package final class CdevFrames: EventDialect {
    /// Shared by all events whose frames need nothing but the event.
    private static let ofEventAlone = CdevFrames(EventContext())

    let context: EventContext

    private init(_ context: EventContext) { self.context = context }

    static func with(_ context: EventContext) -> CdevFrames { context.isEmpty ? ofEventAlone : CdevFrames(context) }

    package var isWhole: Bool { !context.lacksMessages }
    package var footprint: Int { (context.grown?.bytes ?? 0) * 4 }

    package func frames(of committed: CommittedEvent, epoch: String, plain: [UInt8]?) -> [UInt8] {
        let derived = DerivedEvents.of(committed, context)
        guard let last = derived.last else { return plain ?? [] }
        let replacesPlain = last.name == committed.event.type.rawValue || plain == nil
        var frames: [UInt8] = []
        for (index, event) in derived.enumerated() {
            let isLast = replacesPlain && index == derived.count - 1
            let place = CdevFrames.Place(epoch: epoch, seq: committed.seq, hasMore: !isLast)
            let payload = CdevFrames.notification(event, committed, committed.event.timestamp, at: place)
            WebSocketFrame.appendTextHeader(payloadLength: payload.count, to: &frames)
            frames.append(contentsOf: payload)
        }
        if !replacesPlain, let plain { frames.append(contentsOf: plain) }
        return frames
    }

    package func sessionFrames(of committed: CommittedEvent) -> [UInt8] {
        SessionFrames.of(committed, context).flatMap { WebSocketFrame.text($0) }
    }

    /// The position of a notification in the log.
    struct Place {
        var epoch: String
        var seq: Int64
        /// Whether another notification of the same event follows.
        var hasMore: Bool
    }

    static func notification(
        _ derived: DerivedEvent,
        _ committed: CommittedEvent,
        _ time: Timestamp,
        at place: Place
    ) -> [UInt8] {
        let event = committed.event
        let isCut = derived.payload.count > MessageLimit.payload
        var writer = JSONWriter(reserving: (isCut ? 0 : derived.payload.count) + 400)
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "event/\(derived.name)")
        writer.beginObject("params")
        writer.field("event", derived.name)
        writer.field("seq", place.seq)
        writer.field("epoch", place.epoch)
        if place.hasMore { writer.field("more", true) }
        writer.field("timestamp", time.description)
        writer.field("workspace_id", committed.workspaceID ?? "")
        writer.field("session_id", event.sessionID ?? "")
        writer.field("agent_type", "claude")
        if isCut { writer.field(MessageLimit.mark, true) }
        writer.field("payload", json: isCut ? MessageLimit.emptyPayload : derived.payload)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension EncodedEvent {
    /// Encodes an event without knowing the events before it. Its frames for cdev's clients are derived from it alone.
    package convenience init(cdev committed: CommittedEvent, epoch: String) {
        var tracker = PromptTracker()
        let news = HookEvent(committed).map { tracker.news(of: $0) } ?? PromptNews()
        self.init(committed, epoch: epoch, dialect: CdevFrames.with(EventContext(prompts: news)))
    }

    /// The number of permission dialogs that end with this event, as reported to cdev's clients.
    var endedPermissions: Int { (dialect as? CdevFrames)?.context.prompts.endedDialogs.count ?? 0 }
}

/// The data that cdev's notifications of an event need in addition to the event.
struct EventContext: Sendable {
    var prompts = PromptNews()
    /// Whether a transcript has already reported the hook's message.
    var isRepeated = false
    /// Whether transcripts have reported lines of the session recently. Only known for the ends of turns and for lines.
    var hasTranscript = false
    /// The messages that the event of a transcript reports; `nil` if they were not read.
    var grown: GrownMessages?
    /// Whether `grown` must be read before the event is sent.
    var lacksMessages = false

    fileprivate var isEmpty: Bool {
        prompts.isEmpty && !isRepeated && !hasTranscript && grown == nil && !lacksMessages
    }
}
