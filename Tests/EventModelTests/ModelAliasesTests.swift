import EventModel
import Testing

@Suite("Names for models")
struct ModelAliasesTests {
    @Test("a name leads to its model, and every other text to itself")
    func names() throws {
        let aliases = try ModelAliases(["gpt-4o=sonnet", "m=claude-opus-5[1m]"])
        #expect(["gpt-4o", "m", "sonnet", ""].map(aliases.model) == ["sonnet", "claude-opus-5[1m]", "sonnet", ""])
        #expect(aliases.pairs.map(\.name) == ["gpt-4o", "m"])
    }

    @Test("what leads nowhere is an error")
    func faults() {
        for text in ["a", "=b", "a=", "a=b=c", "a b=c", "-a=b", "a=-b", "a=" + String(repeating: "b", count: 129)] {
            #expect(throws: ModelAliases.Fault.form(text)) { try ModelAliases([text]) }
        }
        #expect(throws: ModelAliases.Fault.twice("a")) { try ModelAliases(["a=b", "a=c"]) }
        #expect(throws: ModelAliases.Fault.chain(name: "a", model: "b")) { try ModelAliases(["a=b", "b=c"]) }
        #expect(throws: ModelAliases.Fault.chain(name: "a", model: "a")) { try ModelAliases(["a=a"]) }
    }
}
