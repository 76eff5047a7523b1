import JSON

/// A parameter of a method: the checks before the method runs, and its description in the OpenRPC document.
package struct RPCParameter: Sendable {
    indirect enum Kind: Sendable {
        /// A string. The range is its length in bytes of UTF-8.
        case text(ClosedRange<Int>)
        case choice([String])
        case integer(ClosedRange<Int64>)
        case flag
        case texts(ClosedRange<Int>, limit: Int)
        case object([RPCParameter])
        /// The id of an element.
        case place
        /// Any value, without a check.
        case anything
    }

    package let name: String
    package let summary: String
    /// Alternative names of the parameter. If several are present, the first counts.
    package private(set) var spellings: [String] = []
    package private(set) var isRequired = false
    private let kind: Kind

    private init(_ name: String, _ summary: String, _ kind: Kind) {
        (self.name, self.summary, self.kind) = (name, summary, kind)
    }

    package static func text(_ name: String, _ summary: String, limit: Int = 256) -> RPCParameter {
        RPCParameter(name, summary, .text(1...limit))
    }

    package static func choice(_ name: String, _ words: [String], _ summary: String) -> RPCParameter {
        RPCParameter(name, summary, .choice(words))
    }

    package static func integer(_ name: String, _ range: ClosedRange<Int64>, _ summary: String) -> RPCParameter {
        RPCParameter(name, summary, .integer(range))
    }

    package static func flag(_ name: String, _ summary: String) -> RPCParameter { RPCParameter(name, summary, .flag) }

    /// - Parameter limit: bytes of each text.
    package static func texts(
        _ name: String,
        _ count: ClosedRange<Int>,
        _ summary: String,
        limit: Int = 256
    ) -> RPCParameter {
        RPCParameter(name, summary, .texts(count, limit: limit))
    }

    package static func object(_ name: String, _ members: [RPCParameter], _ summary: String) -> RPCParameter {
        RPCParameter(name, summary, .object(members))
    }

    package static func place(_ name: String, _ summary: String) -> RPCParameter { RPCParameter(name, summary, .place) }

    package static func anything(_ name: String, _ summary: String) -> RPCParameter {
        RPCParameter(name, summary, .anything)
    }

    package var required: RPCParameter {
        var parameter = self
        parameter.isRequired = true
        return parameter
    }

    package func also(_ spellings: String...) -> RPCParameter {
        var parameter = self
        parameter.spellings = spellings
        return parameter
    }

    /// - Parameter parent: the name of the object that contains the parameter, followed by a dot, or empty.
    package func check(_ params: RPCParams, parent: String = "") throws(RPCError) {
        guard let name = ([name] + spellings).first(where: params.has) else {
            if isRequired { throw .invalidParameter(parent + name, "is required") }
            return
        }
        switch kind {
        case .text(let bytes): _ = try params.string(name, limit: bytes.upperBound)
        case .choice(let words):
            guard let word = try params.string(name), words.contains(word) else {
                throw .invalidParameter(name, "is not one of \(words.joined(separator: ", "))")
            }
        case .integer(let range): _ = try params.integer(name, in: range)
        case .flag: _ = try params.boolean(name)
        case .texts(let count, let limit): _ = try params.strings(name, count: count, limit: limit)
        case .place: _ = try params.place(name)
        case .anything: break
        case .object(let members):
            guard let object = try params.object(name) else { return }
            for member in members { try member.check(object, parent: name + ".") }
        }
    }

    /// The parameter's JSON Schema. It does not mention `null`, which always counts as absent.
    package var schema: String {
        switch kind {
        case .text(let bytes): JSONSchema.bounded(bytes.upperBound, least: bytes.lowerBound)
        case .choice(let words): JSONSchema.choice(words)
        case .integer(let range): JSONSchema.integer(range)
        case .flag: JSONSchema.flag
        case .place: #"{"type":"string","pattern":"^[0-9]{1,18}(~[0-9]{1,18}~[0-9]{1,18})?$"}"#
        case .anything: "{}"
        case .texts(let count, let limit):
            #"{"type":"array","items":\#(JSONSchema.bounded(limit, least: 1)),"#
                + #""minItems":\#(count.lowerBound),"maxItems":\#(count.upperBound)}"#
        case .object(let members):
            #"{"type":"object","required":["#
                + members.filter(\.isRequired).map { "\"\($0.name)\"" }.joined(separator: ",")
                + #"],"properties":{"#
                + members.map { "\"\($0.name)\":\($0.schema)" }.joined(separator: ",") + "}}"
        }
    }
}
