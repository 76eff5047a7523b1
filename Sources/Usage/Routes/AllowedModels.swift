internal import API
internal import EventModel
internal import HTTPModel

/// The models that a credential may know of: all, or those with which an API key may chat.
struct AllowedModels {
    let list: [ModelEntry]
    private let catalog: ModelCatalog
    /// Whether nothing is left out.
    private let isWhole: Bool

    init(of principal: Principal, in catalog: ModelCatalog) {
        self.catalog = catalog
        if !principal.may(.read), let names = principal.apiKey?.models {
            (list, isWhole) = (catalog.choices(of: names), false)
        } else {
            (list, isWhole) = (catalog.choices, true)
        }
    }

    /// Finds a model by its id or another name. An API key with a list finds what is on it.
    func model(_ name: String) throws(APIError) -> ModelEntry {
        let isListed = list.contains { $0.id == name }
        // The operator's name may stand for a model that no machine has reported.
        if isListed, catalog.isAlias(name) { return catalog.entry(called: name) }
        guard isWhole || isListed, let entry = catalog.entry(named: name) else {
            throw .notFound("model_not_found", AllowedModels.words(name, list))
        }
        return entry
    }

    private static func words(_ name: String, _ list: [ModelEntry]) -> String {
        let nearest = NearestNames(to: name, among: list.flatMap { [$0.id] + $0.names }).names
        let known = nearest.isEmpty ? "" : " The nearest names are \(nearest.joined(separator: ", "))."
        return "There is no model of that id." + known
    }
}
