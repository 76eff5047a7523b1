/// Who gets what a hub sends to many, in ascending order. They are put in order again only where somebody has come or
/// gone since the last message: what is done before its first byte leaves delays it for everybody.
final class Roster<Member: Hashable & Comparable> {
    private var members: Set<Member> = []
    private var order: [Member]?

    var isEmpty: Bool { members.isEmpty }

    /// Ascending.
    var ordered: [Member] {
        if let order { return order }
        let made = members.sorted()
        order = made
        return made
    }

    func insert(_ member: Member) {
        members.insert(member)
        order = nil
    }

    func remove(_ member: Member) {
        if members.remove(member) != nil { order = nil }
    }
}
