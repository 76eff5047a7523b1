internal import JSON

/// A parameter in the query of a URL.
package struct QueryParameter: Sendable {
    package var name: String
    /// JSON Schema.
    package var schema: String
    package var summary: String
    /// Other names of the same parameter.
    private(set) var aliases: [String] = []
    /// Whether it may come several times, with a value each.
    private(set) var isRepeatable = false

    package init(name: String, schema: String, summary: String) {
        self.name = name
        self.schema = schema
        self.summary = summary
    }

    package func or(_ alias: String) -> QueryParameter {
        var parameter = self
        parameter.aliases.append(alias)
        return parameter
    }

    package func repeatable() -> QueryParameter {
        var parameter = self
        parameter.isRepeatable = true
        return parameter
    }

    package static func text(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(name: name, schema: JSONSchema.line, summary: summary)
    }

    package static func integer(_ name: String, _ range: ClosedRange<Int64>, _ summary: String) -> QueryParameter {
        let (least, most) = (range.lowerBound, range.upperBound)
        let schema = #"{"type":"integer","minimum":\#(least),"maximum":\#(most)}"#
        return QueryParameter(name: name, schema: schema, summary: summary)
    }

    package static func choice(_ name: String, _ values: [String], _ summary: String) -> QueryParameter {
        let list = values.map { "\"\($0)\"" }.joined(separator: ",")
        return QueryParameter(name: name, schema: #"{"type":"string","enum":[\#(list)]}"#, summary: summary)
    }

    package static func text(_ name: String, matching pattern: String, _ summary: String) -> QueryParameter {
        QueryParameter(name: name, schema: #"{"type":"string","pattern":"\#(pattern)"}"#, summary: summary)
    }

    package static func date(_ name: String, _ summary: String) -> QueryParameter {
        QueryParameter(
            name: name,
            schema: JSONSchema.either([JSONSchema.sentDate, JSONSchema.sentTime]),
            summary: summary
        )
    }

    package static let paging =
        [
            integer("limit", 1...200, "How many, with 'cursor'."),
            text("cursor", matching: "^[0-9]{1,16}~.+$", "The 'next_cursor' of the page before."),
        ] + pages

    /// Without these parameters, a list that has no cursor is returned whole.
    package static let pages = [
        integer("page", 1...100_000, "Which page, by its number; the answer then counts them."),
        integer("per_page", 1...200, "How many, with 'page'."),
    ]

    package static let log =
        [
            integer("limit", 1...999, "How many."),
            text("cursor", matching: "^[0-9a-f-]{1,36}:[0-9]{1,18}$", "The 'next_cursor' of the page before."),
            choice("order", ["asc", "desc"], "By 'seq'."),
            integer("after", 0...Int64.max, "Only those with a greater 'seq'."),
            integer("before", 0...Int64.max, "Only those with a smaller 'seq'."),
        ] + pages

    package static let device = [integer("device_id", 1...Int64.max, "For the operator: which device.")]
    package static let project = text("project_id", "Of this project.").or("workspace_id")
    package static let machine = text("machine_id", "Of this machine, by its name or its number.").or("machine")
    package static let types = text("types", "Only these types, with commas between.").or("type").repeatable()
    package static let since = text("since", "Only events after this position, 'epoch:seq'; 0 is the beginning.")
}
