import Testing

@testable import WSFanout

@Suite struct SortedSubscribersTests {
    @Test func membersAreInOrderWhoeverComesAndGoes() {
        let subscribers = SortedSubscribers<Int>()
        for member in [7, 3, 9, 3] { subscribers.insert(member) }
        #expect(subscribers.members == [3, 7, 9])
        subscribers.insert(5)
        subscribers.remove(9)
        for nobody in [1, 4, 8] { subscribers.remove(nobody) }
        #expect(subscribers.members == [3, 5, 7])
        for member in [5, 3, 7] { subscribers.remove(member) }
        #expect(subscribers.members.isEmpty)
    }
}
