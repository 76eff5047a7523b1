import Testing

@testable import WSFanout

@Suite struct RosterTests {
    @Test func membersAreInOrderWhoeverComesAndGoes() {
        let roster = Roster<Int>()
        for member in [7, 3, 9, 3] { roster.insert(member) }
        #expect(roster.members == [3, 7, 9])
        roster.insert(5)
        roster.remove(9)
        for nobody in [1, 4, 8] { roster.remove(nobody) }
        #expect(roster.members == [3, 5, 7])
        for member in [5, 3, 7] { roster.remove(member) }
        #expect(roster.members.isEmpty)
    }
}
