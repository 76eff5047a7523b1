import Foundation

/// Prints any JSON object as lines of `name.inner  value`, for answers with a few values.
enum FlatJSON {
    static func rows(_ body: Data) throws(CommandError) -> [[Table.Cell]] {
        guard let root = try? JSONSerialization.jsonObject(with: body) else {
            throw .refused("the server's answer is not JSON: is --url a monitor server?")
        }
        var rows: [[Table.Cell]] = []
        collect(root, name: "", into: &rows)
        return rows
    }

    private static func collect(_ value: Any, name: String, into rows: inout [[Table.Cell]]) {
        switch value {
        case let object as [String: Any]:
            for (key, inner) in object.sorted(by: { $0.key < $1.key }) {
                collect(inner, name: name.isEmpty ? key : name + "." + key, into: &rows)
            }
        case let list as [Any]:
            for (index, inner) in list.enumerated() {
                collect(inner, name: "\(name)[\(index)]", into: &rows)
            }
        case is NSNull:
            rows.append([Table.Cell(name), "-"])
        case let text as String:
            rows.append([Table.Cell(name), Table.Cell(text)])
        default:
            let text = (try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)) ?? Data()
            rows.append([Table.Cell(name), Table.Cell(String(decoding: text, as: UTF8.self))])
        }
    }

    static func show(_ body: Data) throws {
        let style = TerminalStyle.ofStandardOutput()
        let columns = [Table.Column(heading: "FIGURE"), Table.Column(heading: "VALUE")]
        for line in Table(columns: columns, rows: try rows(body)).lines(width: style.width, style: style).dropFirst() {
            try Output.line(line)
        }
    }
}
