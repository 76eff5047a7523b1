internal import EventModel

/// The models that machines offer, together with those of the price list.
struct ModelCatalog: Sendable {
    /// Those that machines offer, in the order of Claude Code, and then the others of the price list.
    let entries: [ModelEntry]
    /// The number of entries that machines offer.
    let offeredCount: Int
    private let prices: PriceList
    private let aliases: ModelAliases

    init(_ machines: [MachineModels], _ prices: PriceList, _ aliases: ModelAliases = .none) {
        var offered: [ModelEntry] = []
        for machine in machines {
            for model in machine.models {
                let place = offered.firstIndex { $0.id == model.id } ?? offered.endIndex
                let isNew = place == offered.endIndex
                if isNew { offered.append(ModelEntry(id: model.id, record: prices.model(model.id))) }
                offered[place].add(model, of: machine.machineName)
            }
        }
        let claimed = Set(offered.flatMap { [$0.id] + $0.names })
        for place in offered.indices {
            let others = (offered[place].record?.aliases ?? []).filter { !claimed.contains($0) }
            offered[place].names += others
        }
        let priced = Set(offered.compactMap { $0.record?.id })
        let rest = prices.models.filter { !priced.contains($0.id) }.map { record -> ModelEntry in
            var entry = ModelEntry(id: record.id, record: record)
            entry.names = record.aliases.filter { !claimed.contains($0) }
            return entry
        }
        var entries = offered + rest
        for pair in aliases.pairs {
            let place = entries.firstIndex { $0.id == pair.model || $0.names.contains(pair.model) }
            if let place { entries[place].names.append(pair.name) }
        }
        (self.entries, offeredCount, self.prices, self.aliases) = (entries, offered.count, prices, aliases)
    }

    /// What a client can choose from: the models that machines offer, and then the operator's names. If no machine has
    /// reported a model, the models of the price list.
    var choices: [ModelEntry] {
        let models = offeredCount > 0 ? Array(entries.prefix(offeredCount)) : entries
        let named = aliases.pairs.filter { pair in !models.contains { $0.id == pair.name } }
        return models + named.map { entry(called: $0.name) }
    }

    /// The models of an API key's list: its names, and the operator's names for the same models.
    func choices(of names: [String]) -> [ModelEntry] {
        let models = Set(names.map(aliases.model))
        let named = aliases.pairs.filter { models.contains($0.model) && !names.contains($0.name) }
        return (names + named.map(\.name)).map(entry(called:))
    }

    /// Whether the operator has given a model this name.
    func isAlias(_ name: String) -> Bool { aliases.model(name) != name }

    /// Finds a model by the operator's name for it, its id, Claude Code's name for it, or a name that the price list
    /// knows.
    func entry(named asked: String) -> ModelEntry? {
        let name = aliases.model(asked)
        if let exact = entries.first(where: { $0.id == name }) { return exact }
        if let called = entries.prefix(offeredCount).first(where: { $0.names.contains(name) }) { return called }
        guard let record = prices.model(name) else { return nil }
        return entries.first { $0.record?.id == record.id }
    }

    /// A model of an API key's list under the name that it has there.
    func entry(called name: String) -> ModelEntry {
        guard var entry = entry(named: name) else { return ModelEntry(id: name, record: nil) }
        entry.id = name
        return entry
    }
}

/// A model of the catalog.
struct ModelEntry: Sendable {
    var id: String
    /// Other names. Those that Claude Code takes are first.
    var names: [String] = []
    /// `nil` if no price is known.
    let record: ModelRecord?
    /// The machines that offer it.
    private(set) var machines: [String] = []
    private(set) var efforts: [String] = []
    private var title: String?
    private var words: String?

    init(id: String, record: ModelRecord?) { (self.id, self.record) = (id, record) }

    /// Claude Code's word for the model that it takes when none is named. It is no name of a model.
    private static let usual = "default"

    mutating func add(_ model: OfferedModel, of machine: String) {
        if !machines.contains(machine) { machines.append(machine) }
        if efforts.isEmpty { efforts = model.efforts }
        guard model.name != ModelEntry.usual else { return }
        if model.name != id, !names.contains(model.name) { names.append(model.name) }
        title = title ?? model.title
        words = words ?? model.description
    }

    var name: String { record?.name ?? title ?? id }

    var description: String {
        words ?? record.map { "\($0.name): \($0.contextWindow / 1000)k tokens of context" } ?? name
    }
}
