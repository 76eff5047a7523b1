package import JSON

/// A function of the chat's caller. The model may call it; only the caller runs it.
package struct ChatFunction: Sendable, Equatable {
    package var name: String
    package var description: String?
    /// The JSON Schema of an object.
    package var parameters: JSONValue

    package init(name: String, description: String?, parameters: JSONValue) {
        (self.name, self.description, self.parameters) = (name, description, parameters)
    }

    package static let mostNameBytes = 64

    /// Letters, digits, `_` and `-`.
    package static func isName(_ name: String) -> Bool {
        (1...mostNameBytes).contains(name.utf8.count) && name.utf8.allSatisfy(\.isWord)
    }

    package static func isCallID(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count) && id.utf8.allSatisfy(\.isWord)
    }
}

/// A call of a function by the model.
package struct ChatCall: Sendable, Equatable {
    package var id: String
    package var name: String
    /// A JSON text, as the model wrote it.
    package var arguments: String

    package init(id: String, name: String, arguments: String) {
        (self.id, self.name, self.arguments) = (id, name, arguments)
    }
}

extension UInt8 {
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
