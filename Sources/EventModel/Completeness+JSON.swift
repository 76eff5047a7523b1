public import JSON

extension Completeness {
    public static let shape = ObjectShape<Completeness>("Completeness") { it in
        it.word("state") { $0.state }
        it.member("recovered") { $0.recovered }
        it.member("missing") { $0.missing }
    }
}
