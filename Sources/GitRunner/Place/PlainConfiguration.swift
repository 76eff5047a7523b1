/// The settings of a repository that nobody trusts, without all that names a program, a file or a place to fetch from.
enum PlainConfiguration {
    struct Setting: Equatable {
        var name: String
        var value: String
    }

    /// More than these are not taken.
    static let mostSettings = 2000
    private static let names: Set<String> = [
        "core.filemode", "core.autocrlf", "core.eol", "core.ignorecase", "core.symlinks", "core.precomposeunicode",
        "core.sparsecheckout", "core.sparsecheckoutcone", "core.trustctime", "core.checkstat", "core.safecrlf",
    ]

    /// - Parameter listing: the output of `git config --list -z`.
    static func settings(in listing: [UInt8]) -> [Setting] {
        var settings: [Setting] = []
        for entry in listing.split(separator: 0) where settings.count < mostSettings {
            let parts = entry.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
                let value = String(validating: parts[1], as: UTF8.self), isPlain(name), value.utf8.count <= 4096
            else { continue }
            settings.append(Setting(name: name, value: value))
        }
        return settings
    }

    private static func isPlain(_ name: String) -> Bool {
        if names.contains(name) { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, let last = parts.last else { return false }
        switch parts[0] {
        case "branch": return ["remote", "merge"].contains(last)
        case "remote": return ["url", "pushurl", "fetch"].contains(last)
        default: return false
        }
    }

    /// The file `config` without which git does not understand the repository.
    static func file(in listing: [UInt8], isBare: Bool) -> String {
        var text = "[core]\n\trepositoryformatversion = 1\n\tbare = \(isBare)\n"
        var extensions = ""
        for entry in listing.split(separator: 0) {
            let parts = entry.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = String(decoding: parts[1], as: UTF8.self)
            switch String(decoding: parts[0], as: UTF8.self) {
            case "extensions.objectformat" where ["sha1", "sha256"].contains(value):
                extensions = "[extensions]\n\tobjectformat = \(value)\n"
            default: break
            }
        }
        text += extensions
        return text
    }

    /// As variables of the environment, which need no quotes.
    static func environment(_ settings: [Setting]) -> [String] {
        ["GIT_CONFIG_COUNT=\(settings.count)"]
            + settings.enumerated().flatMap { index, setting in
                ["GIT_CONFIG_KEY_\(index)=\(setting.name)", "GIT_CONFIG_VALUE_\(index)=\(setting.value)"]
            }
    }
}
