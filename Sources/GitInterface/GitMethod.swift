package import JSON

/// A method of git, as REST, JSON-RPC and the machines' agents know it: one table for all.
package struct GitMethod: Sendable {
    /// The words of a machine's file, each of which allows what those before it allow.
    package static let words = ["off", "read", "write", "push", "force"]

    /// What the person must be allowed to do.
    package enum Need: Sendable { case look, change }

    /// Such as `branch/delete`.
    package let verb: String
    package let summary: String
    package let need: Need
    /// The seconds that the machine's agent has.
    package let seconds: Double
    package let parameters: [GitParameter]
    package let answer: SchemaName

    init(
        _ verb: String,
        _ summary: String,
        _ need: Need = .look,
        seconds: Double? = nil,
        _ parameters: [GitParameter] = [],
        as answer: SchemaName
    ) {
        (self.verb, self.summary, self.need) = (verb, summary, need)
        (self.parameters, self.answer) = (parameters, answer)
        self.seconds = seconds ?? (need == .look ? 30 : 90)
    }

    package static func named(_ verb: String) -> GitMethod? {
        all.first { $0.verb == (verb == "get_status" ? "state" : verb) }
    }

    /// The arguments for the agent, from those of a client. Other members are left out.
    package func arguments(_ object: JSONValue) throws(GitParameter.Fault) -> [(String, JSONValue)] {
        var arguments: [(String, JSONValue)] = []
        for parameter in parameters {
            let names = [parameter.name] + parameter.aliases
            guard let value = names.lazy.compactMap({ object[$0] }).first(where: { $0 != .null }) else {
                guard !parameter.isRequired else { throw GitParameter.Fault(parameter.name, "is required") }
                continue
            }
            try parameter.check(value)
            arguments.append((parameter.wire, value))
        }
        return arguments
    }

    /// The schema of a body or of parameters.
    package var schema: String {
        let members = parameters.map { "\"\($0.name)\":\($0.schema)" } + ["\"command_id\":\(GitMethod.uuid)"]
        let required = parameters.filter(\.isRequired).map { "\"\($0.name)\"" }.joined(separator: ",")
        return #"{"type":"object","required":[\#(required)],"properties":{\#(members.joined(separator: ","))}}"#
    }

    /// `GitBranchDelete`
    package var schemaName: SchemaName {
        let words = verb.split(separator: "/").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return SchemaName(stringLiteral: "Git" + words.joined() + "Request")
    }

    private static let uuid = #"{"type":["string","null"],"format":"uuid"}"#
}

/// A parameter of a method of git.
package struct GitParameter: Sendable {
    package enum Kind: Sendable, Equatable {
        case text(Int)
        case flag
        case integer(ClosedRange<Int64>)
        case texts(most: Int, of: Int)
    }

    package struct Fault: Error, Equatable {
        package let name: String
        package let problem: String

        init(_ name: String, _ problem: String) { (self.name, self.problem) = (name, problem) }
    }

    package let name: String
    /// The name in commands to agents, where `path` is the project's.
    package let wire: String
    package let kind: Kind
    package let summary: String
    package private(set) var isRequired = false
    package private(set) var aliases: [String] = []

    init(_ name: String, _ kind: Kind, _ summary: String, wire: String? = nil) {
        (self.name, self.kind, self.summary, self.wire) = (name, kind, summary, wire ?? name)
    }

    var required: GitParameter {
        var parameter = self
        parameter.isRequired = true
        return parameter
    }

    func also(_ alias: String) -> GitParameter {
        var parameter = self
        parameter.aliases.append(alias)
        return parameter
    }

    func check(_ value: JSONValue) throws(Fault) {
        switch kind {
        case .text(let most):
            guard let text = value.string, (1...most).contains(text.utf8.count), !text.utf8.contains(0) else {
                throw Fault(name, "must be a text of 1 to \(most) bytes")
            }
        case .flag:
            guard value.bool != nil else { throw Fault(name, "must be true or false") }
        case .integer(let range):
            guard let number = value.integer, range.contains(number) else {
                throw Fault(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
            }
        case .texts(let most, let bytes):
            let texts = (value.array ?? []).compactMap(\.string)
            guard let count = value.array?.count, (1...most).contains(count), texts.count == count,
                texts.allSatisfy({ (1...bytes).contains($0.utf8.count) && !$0.utf8.contains(0) })
            else { throw Fault(name, "must be 1 to \(most) texts of 1 to \(bytes) bytes") }
        }
    }

    package var schema: String {
        switch kind {
        case .text(let most): JSONSchema.nullable(JSONSchema.bounded(most, least: 1))
        case .flag: JSONSchema.nullable(JSONSchema.flag)
        case .integer(let range): JSONSchema.nullable(JSONSchema.integer(range))
        case .texts(let most, let bytes):
            JSONSchema.nullable(
                #"{"type":"array","minItems":1,"maxItems":\#(most),"items":\#(JSONSchema.bounded(bytes, least: 1))}"#
            )
        }
    }

    /// The value of a query parameter; nil if it is none of this kind.
    package func value(ofQuery text: String) -> JSONValue? {
        switch kind {
        case .text: .string(text)
        case .flag: ["true": .bool(true), "false": .bool(false)][text]
        case .integer: Int64(text).map { .integer($0) }
        case .texts: nil
        }
    }
}
