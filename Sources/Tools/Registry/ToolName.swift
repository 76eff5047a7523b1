internal import EventModel
internal import Signing

/// The names of servers and tools.
enum ToolName {
    private static let idBytes = 12

    /// A server has one id on each machine, for each place of its configuration.
    static func serverID(machine: MachineID, scope: String, path: String?, name: String) -> String {
        // No part contains a zero byte, so that no two servers have the same text.
        let text = ["\(machine.rawValue)", scope, path ?? "", name].joined(separator: "\0")
        return "mcp_" + Hex.encode(Digest.sha256(Array(text.utf8)).prefix(idBytes))
    }

    /// What the protocol allows.
    static func isTool(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count) && name.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") }
    }

    static func isServer(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .surrogate, .lineSeparator, .paragraphSeparator]
                    .contains(scalar.properties.generalCategory)
            }
    }

    /// As Claude Code names the tool. It cannot be inverted: different servers may have the same name there.
    static func claude(_ server: String, _ tool: String) -> String {
        "mcp__" + plain(server) + "__" + plain(tool)
    }

    /// The name with `_` for what Claude Code does not take in names.
    static func plain(_ name: String) -> String {
        String(
            name.unicodeScalars.map { $0.isASCII && isPlain(UInt8(truncatingIfNeeded: $0.value)) ? Character($0) : "_" }
        )
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The words of a name such as `git_diff-staged` or `readFile`, for the search.
    static func words(_ name: String) -> String {
        var text = ""
        var wasLower = false
        for character in name {
            if !character.isLetter, !character.isNumber {
                text += " "
                wasLower = false
                continue
            }
            if wasLower, character.isUppercase { text += " " }
            text.append(character)
            wasLower = character.isLowercase
        }
        return text
    }
}
