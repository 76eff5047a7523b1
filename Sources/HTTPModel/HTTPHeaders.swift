/// The request headers that modules read. There are few, so a linear search is faster than hashing.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public struct Field: Sendable, Equatable {
        /// In lower case.
        public let name: String
        public var value: String
    }

    /// One field per name, in the order in which they were set.
    public private(set) var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }

    /// `name` must be in lower case and must not exist yet.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// `name` must be in lower case.
    public subscript(name: String) -> String? {
        get {
            for index in fields.indices where fields[index].name == name { return fields[index].value }
            return nil
        }
        set {
            if let index = fields.firstIndex(where: { $0.name == name }) { fields.remove(at: index) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }
}
