internal import EventModel

/// The models that machines offer, together with those of the price list.
struct ModelCatalog: Sendable {
    /// Those that machines offer, in the order of Claude Code, and then the others of the price list.
    let entries: [ModelEntry]
    /// The number of entries that machines offer.
    let offeredCount: Int
    private let prices: PriceList

    init(_ machines: [MachineModels], _ prices: PriceList) {
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
        (entries, offeredCount, self.prices) = (offered + rest, offered.count, prices)
    }

    /// What a client can choose from: the models that machines offer. If no machine has told any, those of the price
    /// list.
    var choices: [ModelEntry] { offeredCount > 0 ? Array(entries.prefix(offeredCount)) : entries }

    /// Finds a model by its id, by Claude Code's name for it, or by a name that the price list knows.
    func entry(named name: String) -> ModelEntry? {
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
