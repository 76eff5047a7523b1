import Testing

@testable import WSFanout

@Suite struct RosterTests {
    @Test func membersAreInOrderWhoeverComesAndGoes() {
        let roster = Roster<Int>()
        for member in [7, 3, 9, 3] { roster.insert(member) }
        #expect(roster.ordered == [3, 7, 9])
        roster.insert(5)
        roster.remove(9)
        roster.remove(1)
        #expect(roster.ordered == [3, 5, 7])
        for member in [3, 5, 7] { roster.remove(member) }
        #expect(roster.isEmpty)
        #expect(roster.ordered.isEmpty)
    }
}
