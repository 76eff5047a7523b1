/// The text exposition format of Prometheus, version 0.0.4.
package struct PrometheusText {
    package enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    /// Begins a metric. Its samples must follow.
    package mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    package mutating func sample(_ name: String, labels: [(String, String)] = [], _ value: Double) {
        let shown = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
        text += "\(name)\(PrometheusText.braced(labels)) \(shown)\n"
    }

    package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        metric(name, .gauge, help)
        sample(name, value)
    }

    package mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        metric(name, .counter, help)
        sample(name, Double(value))
    }

    /// Writes one sample for each state: 1 for the current state, 0 for the others.
    package mutating func states(_ name: String, _ help: String, _ states: [String], current: String) {
        metric(name, .gauge, help)
        for state in states { sample(name, labels: [("state", state)], state == current ? 1 : 0) }
    }

    private static func braced(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
