import EventModel
import Sessions

/// The parameters of `WriterStatements`: columns of a batch, each as one array.
enum BatchParameters {
    static func ids(_ events: [CommittedEvent]) -> Parameters {
        let count = events.count
        var parameters = Parameters(reserving: count * 48 + 64)
        parameters.add(count: count) { events[$0].event.id }
        parameters.add(count: count) { events[$0].seq }
        parameters.add(count: count) { events[$0].event.receivedAt }
        return parameters
    }

    static func events(_ events: [CommittedEvent]) -> Parameters {
        let count = events.count
        let payloadBytes = events.indices.reduce(0) { $0 + events[$1].event.payload.count }
        var parameters = Parameters(reserving: payloadBytes + count * 640 + 1024)
        parameters.add(count: count) { events[$0].seq }
        parameters.add(count: count) { events[$0].event.id }
        parameters.add(count: count) { events[$0].event.type.rawValue }
        parameters.add(count: count) { events[$0].event.hookEventName?.text }
        parameters.add(count: count) { events[$0].event.timestamp }
        parameters.add(count: count) { events[$0].event.receivedAt }
        parameters.add(count: count) { events[$0].event.machine.rawValue }
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

    static func sessions(_ rows: [SessionRow]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 1024 + 1024)
        parameters.add(array: rows.lazy.map(\.session.id))
        parameters.add(array: rows.lazy.map(\.session.machine.rawValue))
        parameters.add(array: rows.lazy.map(\.session.machineName))
        parameters.add(array: rows.lazy.map(\.session.reportedMachineName))
        parameters.add(array: rows.lazy.map(\.session.workspaceID))
        parameters.add(array: rows.lazy.map(\.session.projectPath))
        parameters.add(array: rows.lazy.map(\.session.startedAt))
        parameters.add(array: rows.lazy.map(\.session.lastActivityAt))
        parameters.add(array: rows.lazy.map(\.session.endedAt))
        parameters.add(array: rows.lazy.map(\.session.state.rawValue))
        parameters.add(array: rows.lazy.map(\.session.currentModel))
        parameters.add(array: rows.lazy.map(\.session.messageCount))
        parameters.add(array: rows.lazy.map(\.session.toolCallCount))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.input))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.output))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.cacheRead))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.cacheCreation))
        parameters.add(array: rows.lazy.map(\.session.totalCost))
        parameters.add(array: rows.lazy.map(\.session.lastSeq))
        parameters.add(array: rows.lazy.map { TextBytes(bytes: $0.fold) })
        return parameters
    }

    static func names(_ names: some Collection<String>) -> Parameters {
        var parameters = Parameters()
        parameters.add(array: names)
        return parameters
    }

    static func claim(_ head: LogHead, _ next: LogHead) -> Parameters {
        var parameters = Parameters()
        parameters.add(head.epoch)
        for number in [head.lastSeq, head.foldedSeq, head.sessionsRemoved, next.lastSeq, next.foldedSeq] {
            parameters.add(number)
        }
        return parameters
    }

    static func head(_ next: LogHead) -> Parameters {
        var parameters = Parameters()
        parameters.add(next.lastSeq)
        parameters.add(next.foldedSeq)
        return parameters
    }

    static func workspaces(_ touches: [WorkspaceTouch]) -> Parameters {
        var parameters = Parameters()
        parameters.add(array: touches.lazy.map(\.id))
        parameters.add(array: touches.lazy.map(\.machine.rawValue))
        parameters.add(array: touches.lazy.map(\.path))
        parameters.add(array: touches.lazy.map(\.name))
        parameters.add(array: touches.lazy.map(\.at))
        return parameters
    }

    static func machines(_ touches: [MachineTouch]) -> Parameters {
        var parameters = Parameters()
        parameters.add(array: touches.lazy.map(\.machine.rawValue))
        parameters.add(array: touches.lazy.map(\.name))
        parameters.add(array: touches.lazy.map(\.at))
        return parameters
    }
}

/// A session as it is stored: columns to find it by, and the fold that the next event is applied to.
struct SessionRow {
    let session: Session
    let fold: [UInt8]

    init?(_ fold: SessionState) {
        guard let session = fold.session else { return nil }
        self.session = session
        self.fold = fold.stored()
    }
}
