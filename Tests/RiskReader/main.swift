// Judges shell commands for the tests that compare this reader with that of the hooks (Tests/hooks/risk_reader.awk).
//
// Standard input: a command a line, with \n, \r, \t and \\ for what stands after the backslash. For each a line with
// its risk and its tokens, in the same form.

import EventModel
import Risks

func decoded(_ line: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in line.utf8 {
        guard isEscape || byte == UInt8(ascii: "\\") else {
            bytes.append(byte)
            continue
        }
        guard isEscape else {
            isEscape = true
            continue
        }
        isEscape = false
        switch byte {
        case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
        default: bytes.append(byte)
        }
    }
    return bytes
}

func encoded(_ bytes: [UInt8]) -> String {
    var line: [UInt8] = []
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "\n"): line += Array("\\n".utf8)
        case UInt8(ascii: "\r"): line += Array("\\r".utf8)
        case UInt8(ascii: "\t"): line += Array("\\t".utf8)
        case UInt8(ascii: "\\"): line += Array("\\\\".utf8)
        default: line.append(byte)
        }
    }
    return String(decoding: line, as: UTF8.self)
}

func text(_ token: ShellToken) -> String {
    switch token {
    case .word(let word): "w" + encoded(word)
    case .end: ";"
    case .write(let word): ">" + encoded(word)
    case .read(let word): "<" + encoded(word)
    case .text(let text): "h" + encoded(text)
    case .opaque: "x"
    case .unread: "!"
    }
}

while let line = readLine() {
    let command = decoded(line[...])
    let risk = RiskTable.shipped.risk(of: ToolCall(tool: "Bash", project: "/home/u/p", command: command))
    print(([risk.rawValue] + ShellReader.tokens(of: command).map(text)).joined(separator: "\t"))
}
