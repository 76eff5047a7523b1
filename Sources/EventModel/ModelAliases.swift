/// The operator's names for models. A request for such a name goes to its model.
public struct ModelAliases: Sendable, Equatable {
    public struct Pair: Sendable, Equatable {
        public var name: String
        /// The name that Claude Code knows.
        public var model: String
    }

    public static let none = ModelAliases()

    /// The pairs in the operator's order. No name occurs twice, and no model is itself an alias.
    public let pairs: [Pair]

    /// Why a list of names is refused.
    public enum Fault: Error, Equatable, CustomStringConvertible {
        case form(String)
        case twice(String)
        case chain(name: String, model: String)

        public var description: String {
            switch self {
            case .form(let text): "'\(text)' is not NAME=MODEL, such as gpt-4o=sonnet"
            case .twice(let name): "the name '\(name)' occurs twice"
            case .chain(let name, let model): "'\(name)' leads to '\(model)', which is a name of the list itself"
            }
        }
    }

    private init() { pairs = [] }

    /// - Parameter list: texts in the form `NAME=MODEL`.
    public init(_ list: [String]) throws(Fault) {
        var pairs: [Pair] = []
        for text in list {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy(ModelAliases.isName) else { throw .form(text) }
            let pair = Pair(name: String(parts[0]), model: String(parts[1]))
            guard !pairs.contains(where: { $0.name == pair.name }) else { throw .twice(pair.name) }
            pairs.append(pair)
        }
        for pair in pairs where pairs.contains(where: { $0.name == pair.model }) {
            throw .chain(name: pair.name, model: pair.model)
        }
        self.pairs = pairs
    }

    /// The model that Claude Code is asked for if a client gives this name.
    public func model(_ name: String) -> String { pairs.first { $0.name == name }?.model ?? name }

    /// What `claude --model` takes, and what clients send.
    private static func isName(_ text: Substring) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._:/@[]-".utf8.contains(byte)
                }
            }
    }
}
