internal import Compression
public import EventModel
public import HTTPModel
internal import JSON
internal import Masking

/// One item of a request, in the order of the request.
package enum DecodedItem: Sendable, Equatable {
    /// `sentID`: the sender's id of the event, if it is not a UUID.
    case event(MonitorEvent, sentID: String?)
    /// `eventID`: the sender's id of the event, if it sent one.
    case rejected(eventID: String?, APIError)
}

/// Decodes the bodies of requests that carry events. Reuses its buffers: create one per loop thread.
public final class IngestDecoder {
    /// Maximum nesting depth of a body. No hook sends deeper objects.
    private static let maxDepth = 200

    private let configuration: IngestConfiguration
    private let normalizer: Normalizer
    private let parser = JSONParser(maxDepth: IngestDecoder.maxDepth)
    private let bodies: BodyDecoder
    /// For the ids of events that were sent without one.
    private var random: any RandomNumberGenerator

    public init(
        configuration: IngestConfiguration,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.configuration = configuration
        self.random = random
        normalizer = Normalizer(policy: configuration.contentPolicy)
        bodies = BodyDecoder(maxBytes: configuration.maxBytes)
    }

    /// Throws an error that concerns the whole request. An error in one item only rejects that item. A request that
    /// caused an error fails again if it is repeated.
    package func decodeEvents(
        body: [UInt8],
        contentType: String?,
        contentEncoding: String?,
        machine: MachineID,
        machineName: String,
        now: Timestamp
    ) throws(APIError) -> [DecodedItem] {
        let type = try BodyType(contentType: contentType)
        let text = try bodies.decode(body, contentEncoding: contentEncoding)
        let receipt = Receipt(machine: machine, machineName: machineName, time: now)
        switch type {
        case .json: return try decodeDocument(text, receipt)
        case .lines: return try decodeLines(text, receipt)
        }
    }

    /// `body` is one hook's object in the format `form`.
    public func decodeHook(
        body: [UInt8],
        form: HookForm = .bare,
        contentType: String?,
        contentEncoding: String?,
        machine: MachineID,
        machineName: String,
        now: Timestamp
    ) throws(APIError) -> MonitorEvent {
        guard case .json = try BodyType(contentType: contentType) else { throw BodyType.unsupported }
        let text = try bodies.decode(body, contentEncoding: contentEncoding)
        let receipt = Receipt(machine: machine, machineName: machineName, time: now)
        return try withDocument(text[...]) { root throws(APIError) in
            let (hook, envelope) = try form.read(root)
            return try normalizer.event(from: hook, envelope: envelope, id: newID(at: now), receipt: receipt)
        }
    }

    /// Like `decodeHook`, for a hook that waits. `body` is one envelope, or the hook's object itself.
    package func decodeHeld(
        body: [UInt8],
        isEnvelope: Bool,
        contentType: String?,
        contentEncoding: String?,
        machine: MachineID,
        machineName: String,
        now: Timestamp
    ) throws(APIError) -> HeldHook {
        guard case .json = try BodyType(contentType: contentType) else { throw BodyType.unsupported }
        let text = try bodies.decode(body, contentEncoding: contentEncoding)
        let receipt = Receipt(machine: machine, machineName: machineName, time: now)
        return try withDocument(text[...]) { root throws(APIError) in
            guard root.isObject else { throw .invalid("invalid_json", "the body is not a JSON object") }
            let event: MonitorEvent
            let hook: JSONElement
            if isEnvelope {
                hook = try Envelope.hook(of: root)
                switch item(from: root, receipt, at: 0) {
                case .event(let made, _): event = made
                case .rejected(_, let error): throw error
                }
            } else {
                hook = root
                event = try normalizer.event(from: root, envelope: Envelope(), id: newID(at: now), receipt: receipt)
            }
            let isHidden = configuration.contentPolicy == .none
            let shown = isHidden ? nil : HeldMembers.shown(of: hook)
            return HeldHook(event: event, sent: HeldMembers.sent(of: hook), shown: shown)
        }
    }

    private func decodeDocument(_ text: [UInt8], _ receipt: Receipt) throws(APIError) -> [DecodedItem] {
        try withDocument(text[...]) { root throws(APIError) in
            if root.isObject { return [item(from: root, receipt, at: 0)] }
            guard root.isArray else { throw .invalid("invalid_json", "the body is neither a JSON object nor an array") }
            var items: [DecodedItem] = []
            for (index, element) in root.elements.enumerated() {
                guard index < configuration.maxEvents else { throw .tooManyEvents(limit: configuration.maxEvents) }
                items.append(item(from: element, receipt, at: index))
            }
            guard !items.isEmpty else { throw .emptyBatch }
            return items
        }
    }

    private func decodeLines(_ text: [UInt8], _ receipt: Receipt) throws(APIError) -> [DecodedItem] {
        var items: [DecodedItem] = []
        // Lines are processed one at a time, so that a body of only line breaks does not become as many slices.
        var rest = text[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            guard items.count < configuration.maxEvents else { throw .tooManyEvents(limit: configuration.maxEvents) }
            do throws(APIError) {
                let index = items.count
                items.append(try withDocument(line) { root in item(from: root, receipt, at: index) })
            } catch {
                items.append(.rejected(eventID: nil, error))
            }
        }
        guard !items.isEmpty else { throw .emptyBatch }
        return items
    }

    /// Items without their own time get times in their order, one microsecond apart.
    private func item(from element: JSONElement, _ receipt: Receipt, at index: Int) -> DecodedItem {
        do throws(APIError) {
            guard element.isObject else { throw .invalid("invalid_event", "an event is a JSON object") }
            var envelope = try Envelope(element)
            envelope.timestamp = envelope.timestamp ?? Timestamp(microseconds: receipt.time.microseconds + Int64(index))
            let hook = try Envelope.hook(of: element)
            // The server makes the ids of its own events of names. A sender that used such an id first would make the
            // server's event a duplicate. Therefore a UUID of that version is a name, and sent names have a space of
            // their own.
            let uuid = envelope.sentID.flatMap(EventID.init).flatMap { $0.isNamed ? nil : $0 }
            let id =
                uuid ?? envelope.sentID.map { EventID(sentName: $0, machine: receipt.machine) }
                ?? newID(at: receipt.time)
            let event = try normalizer.event(from: hook, envelope: envelope, id: id, receipt: receipt)
            return .event(event, sentID: uuid == nil ? envelope.sentID : nil)
        } catch {
            return .rejected(eventID: Envelope.sentID(of: element), error)
        }
    }

    private func newID(at time: Timestamp) -> EventID { EventID.version7(at: time, using: &random) }

    private func withDocument<Output>(
        _ text: ArraySlice<UInt8>,
        _ body: (JSONElement) throws(APIError) -> Output
    ) throws(APIError) -> Output {
        let result: Result<Output, APIError>
        do throws(JSONError) {
            result = try parser.withDocument(text) { root in
                Result { () throws(APIError) in try body(root) }
            }
        } catch {
            if case .outOfMemory = error { throw .unavailable("out_of_memory", error.description, retryAfter: 1) }
            throw .invalid("invalid_json", error.description)
        }
        return try result.get()
    }
}
