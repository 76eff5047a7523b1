import EventModel
import RPC
import Testing

@testable import Agents

@Suite("Absences of agents")
struct AgentAbsencesTests {
    private let laptop = MachineID(rawValue: 1)
    private let desk = MachineID(rawValue: 2)
    private let start = Timestamp(microseconds: 1_800_000_000_000_000)

    private func session(_ state: String) throws -> AgentSession {
        try AgentSession(
            RPCParams(
                .object([
                    ("session_id", .string("0d0c1f6e-0000-4000-8000-000000000001")), ("state", .string(state)),
                    ("pid", .integer(1)), ("cwd", .string("/home/dev")), ("mode", .string("default")),
                    ("queue", .array([])),
                ])
            )
        )
    }

    private func after(_ seconds: Double) -> Timestamp { start.adding(seconds: seconds) }

    @Test("an absence is told after five minutes, if sessions worked")
    func due() throws {
        let absences = AgentAbsences()
        let states = ["running", "waiting", "idle", "starting"]
        absences.left(laptop, named: "laptop", try states.map(session), at: start)
        absences.left(desk, named: "desk", [try session("idle")], at: start)
        #expect(absences.due(at: after(299)) == [])
        let told = AgentAbsence(machine: laptop, machineName: "laptop", since: start, sessions: 2)
        #expect(absences.due(at: after(300)) == [told])
        #expect(absences.due(at: after(7199)) == [told])
        #expect(absences.due(at: after(7200)) == [])
        #expect(absences.due(at: after(300)) == [])
    }

    @Test("an agent that is back is not away")
    func returned() throws {
        let absences = AgentAbsences()
        absences.left(laptop, named: "laptop", [try session("running")], at: start)
        absences.returned(laptop)
        #expect(absences.due(at: after(300)) == [])
        absences.left(laptop, named: "laptop", [try session("running")], at: after(200))
        #expect(absences.due(at: after(499)) == [])
        #expect(absences.due(at: after(500)).map(\.since) == [after(200)])
    }
}
