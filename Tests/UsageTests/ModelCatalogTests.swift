import EventModel
import Testing

@testable import Usage

@Suite("Model catalog")
struct ModelCatalogTests {
    private let sonnet = OfferedModel(name: "sonnet", id: "claude-sonnet-5-5", title: "Sonnet", efforts: ["low"])
    private let new = OfferedModel(name: "next", id: "claude-next-9", title: "Next", description: "The next one")
    private let usual = OfferedModel(name: "default", id: "claude-next-9", title: "Default (recommended)")

    private func catalog(_ machines: (String, [OfferedModel])...) -> ModelCatalog {
        ModelCatalog(machines.map { MachineModels(machineName: $0.0, models: $0.1) }, .standard)
    }

    @Test("a model that two machines offer is one model, and the client's order stays")
    func merged() throws {
        let catalog = catalog(("a", [usual, sonnet, new]), ("b", [sonnet]))
        #expect(catalog.choices.map(\.id) == ["claude-next-9", "claude-sonnet-5-5"])
        #expect(catalog.choices.map(\.machines) == [["a"], ["a", "b"]])
        #expect(catalog.choices[0].names == ["next"])
        #expect(catalog.choices[0].name == "Next" && catalog.choices[0].description == "The next one")
        #expect(catalog.choices[1].record != nil && catalog.choices[1].efforts == ["low"])
        #expect(catalog.entries.count == PriceList.standard.models.count + 1)
    }

    @Test("without machines, the models are those of the price list")
    func prices() {
        let catalog = catalog()
        #expect(catalog.choices.map(\.id) == PriceList.standard.models.map(\.id))
        #expect(catalog.entry(named: "haiku")?.id == "claude-haiku-5-5")
        #expect(catalog.entry(named: "claude-3-haiku") != nil)
        #expect(catalog.entry(named: "gpt-4") == nil)
    }

    @Test("a name means what a machine calls so, before it means what the price list calls so")
    func names() {
        let older = OfferedModel(name: "opus", id: "claude-opus-4-6")
        let catalog = catalog(("a", [older]))
        #expect(catalog.entry(named: "opus")?.id == "claude-opus-4-6")
        #expect(catalog.entries.filter { $0.names.contains("opus") }.map(\.id) == ["claude-opus-4-6"])
        #expect(catalog.entry(named: "claude-opus-5-5")?.machines == [])
    }

    @Test(
        "the nearest names differ in the fewest letters",
        arguments: [
            ("claude-sonet-5-5", "claude-sonnet-5-5"), ("Hiku", "haiku"), ("claude-haiku-5.5", "claude-haiku-5-5"),
        ]
    )
    func nearest(wanted: String, found: String) {
        let known = ["claude-opus-5-5", "claude-sonnet-5-5", "haiku", "claude-haiku-5-5", "haiku"]
        let names = NearestNames(to: wanted, among: known).names
        #expect(names.first == found && names.count == 3)
    }

    @Test("nothing is near to nothing")
    func empty() {
        #expect(NearestNames(to: "", among: []).names == [])
        #expect(NearestNames(to: "", among: ["a"]).names == ["a"])
    }

    @Test("the operator's names are models of their own, and names of their models")
    func aliases() throws {
        let aliases = try ModelAliases(["gpt-4o=sonnet", "own=not-known-here"])
        let catalog = ModelCatalog([MachineModels(machineName: "a", models: [sonnet])], .standard, aliases)
        #expect(catalog.choices.map(\.id) == ["claude-sonnet-5-5", "gpt-4o", "own"])
        #expect(catalog.choices[0].names.contains("gpt-4o") && catalog.choices[1].machines == ["a"])
        #expect(catalog.choices(of: ["sonnet", "opus"]).map(\.id) == ["sonnet", "opus", "gpt-4o"])
        #expect(catalog.choices(of: ["gpt-4o"]).map(\.id) == ["gpt-4o"])
        #expect(catalog.entry(named: "gpt-4o")?.id == "claude-sonnet-5-5" && catalog.entry(named: "own") == nil)
        #expect(catalog.isAlias("own") && !catalog.isAlias("sonnet"))
    }
}
