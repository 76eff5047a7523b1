internal import EventModel
import JSON

/// Encodes one event as the payload of a record: a byte with the layout version, then every field in the order of
/// `MonitorEvent`. New fields are added at the end, with a new version. Old versions stay readable.
enum EventCodec {
    private static let version: UInt8 = 8

    static func encode(_ event: MonitorEvent) -> [UInt8] {
        var writer = FieldWriter(reserving: event.payload.count + 512)
        writer.integer(version)
        writer.integer(event.id.high)
        writer.integer(event.id.low)
        writer.text(event.type.rawValue)
        writer.optional(event.hookEventName?.text)
        writer.integer(event.timestamp.microseconds)
        writer.integer(event.receivedAt.microseconds)
        writer.integer(event.machine.rawValue)
        writer.text(event.machineName)
        writer.optional(event.sessionID)
        writer.optional(event.projectPath)
        writer.optional(event.toolName)
        writer.text(event.summary)
        writer.blob(event.payload)
        encode(event.facts, to: &writer)
        writer.optional(event.reportedMachineName)
        writer.optional(event.facts.report) { $0.blob($1.stored()) }
        writer.optional(event.facts.risk?.rawValue)
        writer.optional(event.facts.stream) { writer, stream in
            writer.text(stream.id)
            writer.integer(stream.number)
            writer.optional(stream.sessionNumber) { $0.integer($1) }
        }
        writer.flag(event.facts.isSilent)
        writer.integer(event.facts.shownWhole.rawValue)
        writer.optional(event.facts.clockOffset) { $0.integer($1.bitPattern) }
        return writer.bytes
    }

    /// Returns `nil` if the version is unknown or the length does not match the fields.
    static func decode(_ bytes: ArraySlice<UInt8>) -> MonitorEvent? {
        var reader = FieldReader(bytes)
        do throws(MalformedField) {
            let layout = try reader.integer(UInt8.self)
            guard (1...version).contains(layout) else { return nil }
            var event = MonitorEvent(
                id: EventID(high: try reader.integer(UInt64.self), low: try reader.integer(UInt64.self)),
                type: EventType(rawValue: try reader.text()),
                hookEventName: try reader.optionalText().map { HookEventName($0) },
                timestamp: Timestamp(microseconds: try reader.integer(Int64.self)),
                receivedAt: Timestamp(microseconds: try reader.integer(Int64.self)),
                machine: MachineID(rawValue: try reader.integer(Int64.self)),
                machineName: try reader.text(),
                sessionID: try reader.optionalText(),
                projectPath: try reader.optionalText(),
                toolName: try reader.optionalText(),
                summary: try reader.text(),
                payload: Array(try reader.blob()),
                facts: try decodeFacts(&reader)
            )
            if layout >= 2 { event.reportedMachineName = try reader.optionalText() }
            if layout >= 3 { event.facts.report = try report(&reader) }
            if layout >= 4 { event.facts.risk = try reader.optionalText().flatMap(ToolRisk.init(rawValue:)) }
            if layout >= 5 { event.facts.stream = try stream(&reader) }
            if layout >= 6 { event.facts.isSilent = try reader.flag() }
            if layout >= 7 { event.facts.shownWhole = ShownInput(rawValue: try reader.integer(UInt8.self)) }
            if layout >= 8 { event.facts.clockOffset = try number(&reader) }
            return reader.isAtEnd ? event : nil
        } catch {
            return nil
        }
    }

    private static func report(_ reader: inout FieldReader) throws(MalformedField) -> SessionReport? {
        guard try reader.flag() else { return nil }
        guard let json = try? JSONValue.parse(Array(try reader.blob())) else { throw MalformedField() }
        return SessionReport(stored: json)
    }

    private static func stream(_ reader: inout FieldReader) throws(MalformedField) -> StreamNumber? {
        guard try reader.flag() else { return nil }
        let id = try reader.text()
        let number = try reader.integer(Int64.self)
        let inSession = try reader.optional { reader throws(MalformedField) in try reader.integer(Int64.self) }
        guard let stream = StreamNumber(id: id, number: number, sessionNumber: inSession) else {
            throw MalformedField()
        }
        return stream
    }

    private static func encode(_ facts: SessionFacts, to writer: inout FieldWriter) {
        writer.optional(facts.toolUseID)
        writer.optional(facts.toolInputHash) { $0.integer($1) }
        writer.optional(facts.agentID)
        writer.optional(facts.agentType)
        writer.optional(facts.permissionMode)
        writer.optional(facts.model)
        writer.optional(facts.title)
        writer.optional(facts.detail)
        writer.flag(facts.promptIsInjected)
        writer.optional(facts.usage) { writer, usage in
            for tokens in [usage.input, usage.output, usage.cacheRead, usage.cacheCreation] { writer.integer(tokens) }
        }
        writer.optional(facts.costUSD) { $0.integer($1.bitPattern) }
    }

    private static func decodeFacts(_ reader: inout FieldReader) throws(MalformedField) -> SessionFacts {
        SessionFacts(
            toolUseID: try reader.optionalText(),
            toolInputHash: try reader.optional { reader throws(MalformedField) in try reader.integer(UInt64.self) },
            agentID: try reader.optionalText(),
            agentType: try reader.optionalText(),
            permissionMode: try reader.optionalText(),
            model: try reader.optionalText(),
            title: try reader.optionalText(),
            detail: try reader.optionalText(),
            promptIsInjected: try reader.flag(),
            usage: try reader.optional { reader throws(MalformedField) in
                TokenUsage(
                    input: try reader.integer(Int64.self),
                    output: try reader.integer(Int64.self),
                    cacheRead: try reader.integer(Int64.self),
                    cacheCreation: try reader.integer(Int64.self)
                )
            },
            costUSD: try number(&reader)
        )
    }

    private static func number(_ reader: inout FieldReader) throws(MalformedField) -> Double? {
        try reader.optional { reader throws(MalformedField) in
            let number = Double(bitPattern: try reader.integer(UInt64.self))
            guard !number.isNaN else { throw MalformedField() }
            return number
        }
    }
}
