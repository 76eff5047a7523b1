/// The subscribers of one feed, always in ascending order: sorting them when a message is sent would delay it for all.
final class SortedSubscribers<Member: Comparable> {
    private(set) var members: [Member] = []

    func insert(_ member: Member) {
        let place = place(of: member)
        if place == members.count || members[place] != member { members.insert(member, at: place) }
    }

    func remove(_ member: Member) {
        let place = place(of: member)
        if place < members.count, members[place] == member { members.remove(at: place) }
    }

    /// Where it stands, or would. The newest, which mostly comes last, is not searched for.
    private func place(of member: Member) -> Int {
        guard let last = members.last, last >= member else { return members.count }
        var range = members.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = members[middle] < member ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
