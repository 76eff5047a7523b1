import ArgumentParser
import Foundation

struct MachinesCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "machines",
        abstract: "List the machines that have a key."
    )

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let body = try await client.get("/v1/machines")
        if connection.json { return try Output.document(body) }
        let now = Date()
        try Table.show(
            columns: [
                .init(heading: "ID"), .init(heading: "MACHINE"), .init(heading: "CALLS ITSELF"),
                .init(heading: "SEEN", alignment: .right), .init(heading: "SESSIONS", alignment: .right),
                .init(heading: "CLOCK", alignment: .right), .init(heading: "HOOKS"),
            ],
            rows: try ServerJSON.decode(MachineList.self, body).machines.map { machine in
                [
                    Table.Cell(machine.id?.text ?? "-"), Table.Cell(machine.name ?? "-"),
                    Table.Cell(machine.reportedName ?? "-"),
                    Table.Cell(machine.lastSeenAt == nil ? "never" : Moments.age(of: machine.lastSeenAt, now: now)),
                    Table.Cell(machine.sessionCount.map(String.init) ?? "-"),
                    Table.Cell(machine.clock?.offsetSeconds.map(Moments.offset) ?? "-"),
                    Table.Cell(machine.hooksVersion ?? "-"),
                ]
            },
            ifEmpty: "No machines yet: monitorctl key create NAME, then install the hooks there."
        )
    }
}
