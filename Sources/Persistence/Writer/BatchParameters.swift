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

    static func owners(_ sessions: [BatchPlan.PlannedSession]) -> Parameters {
        var parameters = Parameters(reserving: sessions.count * 160 + 128)
        parameters.add(array: sessions.lazy.map(\.id))
        parameters.add(array: sessions.lazy.map(\.owner.machine.rawValue))
        parameters.add(array: sessions.lazy.map(\.owner.path?.text))
        parameters.add(array: sessions.lazy.map(\.owner.path?.order.time))
        parameters.add(array: sessions.lazy.map(\.owner.path?.order.id))
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
        for number in [head.lastSeq, head.sessionsRemoved, next.lastSeq] { parameters.add(number) }
        return parameters
    }

    static func head(_ next: LogHead) -> Parameters {
        var parameters = Parameters()
        parameters.add(next.lastSeq)
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
