import EventModel

@testable import Risks

/// Shell commands and paths of tools, whose risk is judged before anybody has seen them.
let commandFuzzers = [
    Fuzzer(name: "command") { input in
        let tokens = ShellReader.tokens(of: input)
        promise(tokens.count <= 256 * (input.count + 8), "tokens have a bound")
        let risk = { (command: [UInt8]) in
            RiskTable.shipped.risk(of: ToolCall(tool: "Bash", project: "/home/u/p", command: command))
        }
        let alone = risk(input)
        promise(alone == risk(input), "the same command has the same risk")
        // What cannot be read to its end may hide the second command.
        guard input.count < 32_000, input.allSatisfy({ $0.isNamePart || $0.isBlank || $0 == 0x2F || $0 == 0x2E }) else {
            return
        }
        promise(risk(input + Array("; rm x".utf8)) >= max(alone, .delete), "a second command counts")
    },
    Fuzzer(name: "tool-path") { input in
        for tool in ["Read", "Write", "Glob", "Grep"] {
            let call = ToolCall(tool: tool, project: "/home/u/p", paths: [input], patterns: [input])
            promise(RiskTable.shipped.risk(of: call) >= .read, "each call has a risk")
        }
    },
]
