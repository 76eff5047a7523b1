/// The text exposition format of Prometheus, version 0.0.4.
struct PrometheusText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Opens a metric; its samples follow.
    mutating func metric(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, labels: [(String, String)] = [], _ value: Double) {
        let shown = value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
        text += "\(name)\(PrometheusText.braced(labels)) \(shown)\n"
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        metric(name, .gauge, help)
        sample(name, value)
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        metric(name, .counter, help)
        sample(name, Double(value))
    }

    /// One sample for each state: 1 for the current one, 0 for the others.
    mutating func states(_ name: String, _ help: String, _ states: [String], current: String) {
        metric(name, .gauge, help)
        for state in states { sample(name, labels: [("state", state)], state == current ? 1 : 0) }
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        metric(name, .histogram, help)
        var cumulative: Int64 = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            cumulative += count
            sample(name + "_bucket", labels: [("le", String(bound))], Double(cumulative))
        }
        sample(name + "_bucket", labels: [("le", "+Inf")], Double(histogram.count))
        sample(name + "_sum", histogram.sum)
        sample(name + "_count", Double(histogram.count))
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
