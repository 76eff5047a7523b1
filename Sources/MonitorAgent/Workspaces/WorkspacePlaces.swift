/// The commands about files and repositories that are being carried out. Each person leaves places for others.
struct WorkspacePlaces: Sendable {
    /// Commands at a time.
    static let most = 32
    /// Commands of one person at a time.
    static let mostOfOne = 24

    private var taken: [AgentCommand.Person: Int] = [:]

    /// Throws if the person, or all together, have as many commands as they may.
    mutating func enter(_ person: AgentCommand.Person) throws(CommandRefusal) {
        let (own, all) = (taken[person, default: 0], taken.values.reduce(0, +))
        guard own < WorkspacePlaces.mostOfOne, all < WorkspacePlaces.most else {
            let whose = all < WorkspacePlaces.most ? "\(own) such commands of yours" : "\(all) such commands"
            throw CommandRefusal(.tooManyCommands, "The machine's agent already carries out \(whose).")
        }
        taken[person] = own + 1
    }

    mutating func leave(_ person: AgentCommand.Person) {
        guard let own = taken[person] else { return }
        taken[person] = own > 1 ? own - 1 : nil
    }
}
