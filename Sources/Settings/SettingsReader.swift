internal import Host

/// Reads typed settings and collects all errors instead of stopping at the first.
struct SettingsReader {
    private let flags: [Setting: String]
    private let environment: [String: String]
    private(set) var faults: [ConfigurationFault] = []

    init(flags: [Setting: String], environment: [String: String]) {
        self.flags = flags
        self.environment = environment
    }

    /// Returns `nil` if neither flag nor variable is set. An empty value counts as unset.
    func text(_ setting: Setting) -> String? {
        let value = flags[setting] ?? environment[setting.rawValue]
        return value?.isEmpty == false ? value : nil
    }

    func list(_ setting: Setting) -> [String]? {
        text(setting).map { text in
            text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
        }
    }

    mutating func integer(_ setting: Setting, in range: ClosedRange<Int>, default fallback: Int) -> Int {
        guard let text = text(setting) else { return fallback }
        guard let value = Int(text), range.contains(value) else {
            fault(setting, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return fallback
        }
        return value
    }

    /// `4096`, `64KiB`, `4MiB`.
    mutating func bytes(_ setting: Setting, in range: ClosedRange<Int>, default fallback: Int) -> Int {
        guard let text = text(setting) else { return fallback }
        let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        let (unit, factor) = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        guard let count = Int(text.dropLast(unit.count)), count <= range.upperBound / factor,
            range.contains(count * factor)
        else {
            fault(setting, "must be a size from \(range.lowerBound) to \(range.upperBound) bytes, such as 4MiB")
            return fallback
        }
        return count * factor
    }

    mutating func choice<Value>(_ setting: Setting, _ choices: [String: Value], default fallback: Value) -> Value {
        guard let text = text(setting) else { return fallback }
        guard let value = choices[text.lowercased()] else {
            fault(setting, "must be one of " + choices.keys.sorted().joined(separator: ", "))
            return fallback
        }
        return value
    }

    mutating func fault(_ setting: Setting, _ problem: String) {
        faults.append(ConfigurationFault(setting: setting, problem: problem))
    }
}

package struct ConfigurationFault: Equatable, CustomStringConvertible {
    package var setting: Setting
    package var problem: String

    package var description: String { "\(setting.rawValue) (\(setting.flag)): \(problem)" }
}
