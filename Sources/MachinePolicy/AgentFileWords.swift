/// The words of the file `agent`.
enum AgentFileWords {
    /// Words that hold for a root if they stand beside it.
    private static let local: Set<String> = ["control", "modes", "files", "git", "secrets", "pty"]
    /// Words that may occur more than once.
    private static let lists: Set<String> = ["roots", "trust", "env"]
    static let knownModes: Set<String> = ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"]

    static func isValid(_ key: String, _ value: [UInt8]) -> Bool? {
        let text = String(decoding: value, as: UTF8.self)
        switch key {
        case "roots", "trust", "claude", "new_projects": return isPath(text, allowsHome: key != "claude")
        case "control", "pty", "chat": return ["on", "off"].contains(text)
        case "plaintext": return ["yes", "no"].contains(text)
        case "modes": return list(text).allSatisfy(knownModes.contains)
        case "files": return AgentFile.Files(rawValue: text) != nil
        case "git": return AgentFile.Git(rawValue: text) != nil
        case "tools": return AgentFile.Tools(rawValue: text) != nil
        case "secrets": return ["hide", "show"].contains(text)
        case "sessions", "chats": return (1...3).contains(value.count) && value.allSatisfy(\.isASCIIDigit)
        case "chat_budget": return dollars(text) != nil
        case "watches": return (1...6).contains(value.count) && value.allSatisfy(\.isASCIIDigit)
        case "env": return list(text).allSatisfy(isVariable)
        case "idle_stop": return text == "off" || seconds(text) != nil
        case "proxy":
            return (text.hasPrefix("http://") || text.hasPrefix("https://")) && text.utf8.count <= 1024
                && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
        default: return nil
        }
    }

    static func read(_ lines: [RuleLine], home: String) throws(FileFlaw) -> AgentFile {
        var file = AgentFile.empty()
        var said: Set<String> = []
        // First the words for the machine, because roots inherit them.
        for line in lines {
            let isRoot = line.words.contains { $0.key == "roots" }
            for word in line.words where word.key != "roots" && !(isRoot && local.contains(word.key)) {
                guard said.insert(word.key).inserted || lists.contains(word.key) else {
                    throw FileFlaw("line \(line.number): \(word.key) is said twice")
                }
                apply(word, to: &file, home: home)
            }
        }
        for line in lines {
            let words = line.words.filter { local.contains($0.key) }
            let paths = line.words.filter { $0.key == "roots" }
            guard !paths.isEmpty else { continue }
            guard Set(words.map(\.key)).count == words.count else {
                throw FileFlaw("line \(line.number): a word is said twice")
            }
            var allowance = file.machine
            for word in words { apply(word, to: &allowance) }
            for path in paths {
                file.roots.append(AgentFile.Root(path: expanded(path.value, home), allowance: allowance))
            }
        }
        return file
    }

    private static func apply(_ word: RuleLine.Word, to file: inout AgentFile, home: String) {
        let text = String(decoding: word.value, as: UTF8.self)
        switch word.key {
        case "trust": file.trusted.append(expanded(word.value, home))
        case "claude": file.claude = text
        case "new_projects": file.newProjects = expanded(word.value, home)
        case "sessions": file.sessions = Int(text) ?? 0
        case "chat": file.chat = text == "on"
        case "chats": file.chats = Int(text) ?? 0
        case "chat_budget": file.chatBudget = dollars(text)
        case "tools": file.tools = AgentFile.Tools(rawValue: text) ?? .off
        case "watches": file.watches = Int(text) ?? 0
        case "env": file.environment += list(text)
        case "idle_stop": file.idleStop = seconds(text)
        case "proxy": file.proxy = text
        case "plaintext": file.allowsPlaintext = text == "yes"
        default: apply(word, to: &file.machine)
        }
    }

    private static func apply(_ word: RuleLine.Word, to allowance: inout AgentFile.Allowance) {
        let text = String(decoding: word.value, as: UTF8.self)
        switch word.key {
        case "control": allowance.control = text == "on"
        case "modes": allowance.modes = list(text)
        case "files": allowance.files = AgentFile.Files(rawValue: text) ?? .off
        case "git": allowance.git = AgentFile.Git(rawValue: text) ?? .off
        case "secrets": allowance.showsSecrets = text == "show"
        case "pty": allowance.pty = text == "on"
        default: break
        }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isPath(_ text: String, allowsHome: Bool) -> Bool {
        let isAnchored = text.hasPrefix("/") || allowsHome && (text == "~" || text.hasPrefix("~/"))
        return isAnchored && text.utf8.count <= 4096 && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
    }

    private static func expanded(_ path: [UInt8], _ home: String) -> String {
        let text = String(decoding: path, as: UTF8.self)
        return text.hasPrefix("~") ? home + text.dropFirst() : text
    }

    /// The name of a variable. Those that change what a program runs are not passed on, whatever the file says.
    private static func isVariable(_ name: String) -> Bool {
        guard (1...128).contains(name.utf8.count), let first = name.utf8.first, !first.isASCIIDigit else {
            return false
        }
        return name.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || $0 == UInt8(ascii: "_") }
    }

    /// `20` or `2.50`.
    private static func dollars(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }),
            parts[0].utf8.count <= 6, parts.count == 1 || parts[1].utf8.count <= 4
        else { return nil }
        return Double(text)
    }

    /// `30m`, `2h` or `90s`.
    private static func seconds(_ text: String) -> Int? {
        guard let unit = ["s": 1, "m": 60, "h": 3600][text.suffix(1)], (2...6).contains(text.utf8.count),
            text.dropLast().utf8.allSatisfy(\.isASCIIDigit), let count = Int(text.dropLast()), count > 0
        else { return nil }
        return count * unit
    }
}
