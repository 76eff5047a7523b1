/// The methods by name.
package struct RPCMethodTable<Host: RPCHost>: Sendable {
    private let methods: [String: RPCMethod<Host>]

    /// If two methods have the same name, the later one is used.
    package init(_ groups: [[RPCMethod<Host>]]) {
        methods = Dictionary(groups.joined().map { ($0.name, $0) }) { _, later in later }
    }

    subscript(name: String) -> RPCMethod<Host>? { methods[name] }

    /// Sorted by name.
    package var all: [RPCMethod<Host>] { methods.values.sorted { $0.name < $1.name } }
}
