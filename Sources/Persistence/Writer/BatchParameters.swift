import EventModel
import Sessions

/// The parameters of the statements that write every batch. They are encoded in place, column by column, which takes
/// less time than `RowColumns`.
enum BatchParameters {
    /// The positions are distances from the last event of the batch, 0 or less: the database adds the end of the log.
    static func ids(_ events: [CommittedEvent]) -> Parameters {
        let (count, last) = (events.count, events.last?.seq ?? 0)
        var parameters = Parameters(reserving: count * 48 + 64)
        parameters.add(count: count) { events[$0].event.id }
        parameters.add(count: count) { events[$0].seq - last }
        parameters.add(count: count) { events[$0].event.receivedAt }
        return parameters
    }

    /// The positions are as in `ids`.
    static func events(_ events: [CommittedEvent]) -> Parameters {
        let (count, last) = (events.count, events.last?.seq ?? 0)
        let payloadBytes = events.indices.reduce(0) { $0 + events[$1].event.payload.count }
        var parameters = Parameters(reserving: payloadBytes + count * 640 + 1024)
        parameters.add(count: count) { events[$0].seq - last }
        parameters.add(count: count) { events[$0].event.id }
        parameters.add(count: count) { events[$0].event.type }
        parameters.add(count: count) { events[$0].event.hookEventName?.text }
        parameters.add(count: count) { events[$0].event.timestamp }
        parameters.add(count: count) { events[$0].event.receivedAt }
        parameters.add(count: count) { events[$0].event.machine }
        parameters.add(count: count) { events[$0].event.machineName }
        parameters.add(count: count) { events[$0].event.reportedMachineName }
        parameters.add(count: count) { events[$0].event.sessionID }
        parameters.add(count: count) { events[$0].workspaceID }
        parameters.add(count: count) { events[$0].event.projectPath }
        parameters.add(count: count) { events[$0].event.toolName }
        parameters.add(count: count) { events[$0].event.summary }
        parameters.add(count: count) { TextBytes(bytes: events[$0].event.payload) }
        parameters.add(count: count) { events[$0].event.facts.stored().map(TextBytes.init) }
        return parameters
    }
}
