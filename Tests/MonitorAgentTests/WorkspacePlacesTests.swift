import Testing

@testable import MonitorAgent

@Suite struct WorkspacePlacesTests {
    private func person(_ name: String) -> AgentCommand.Person { .init(kind: "device", id: name, name: name) }

    private func fill(_ places: inout WorkspacePlaces, by name: String) -> Int {
        var count = 0
        while (try? places.enter(person(name))) != nil { count += 1 }
        return count
    }

    @Test func oneLeavesPlacesForOthers() throws {
        var places = WorkspacePlaces()
        #expect(fill(&places, by: "a") == WorkspacePlaces.mostOfOne)
        #expect(fill(&places, by: "b") == WorkspacePlaces.most - WorkspacePlaces.mostOfOne)
        #expect(fill(&places, by: "c") == 0)
    }

    @Test func aPlaceThatIsLeftIsFree() throws {
        var places = WorkspacePlaces()
        _ = fill(&places, by: "a")
        places.leave(person("a"))
        places.leave(person("b"))
        #expect(fill(&places, by: "a") == 1)
    }
}
