/// The subscribers of one feed in ascending order. Sorting them for each message would delay it for all of them.
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

    /// The index of the member, or where it would be inserted. The newest member is usually last and needs no search.
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
