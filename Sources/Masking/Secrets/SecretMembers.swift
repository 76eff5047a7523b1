package import JSON

/// Secrets that are recognized by the JSON structure around them: a member's name, an object with a name and a value,
/// or the arguments of a command.
package struct SecretMembers {
    private static let pairNames: [StaticString] = ["name", "key", "variable", "header", "Name", "Key"]
    private static let valueNames: [StaticString] = ["value", "Value", "val"]

    /// The enclosing objects that pair the name of a secret with its value, one bit for each depth.
    private var pairs: UInt64 = 0
    /// The previous item of the same array, if it is an option that takes a secret.
    private var option: [UInt8] = []

    mutating func begin(_ container: JSONElement, depth: Int) {
        option = []
        guard depth < 64 else { return }
        let isPair = container.isObject && SecretMembers.isPair(container)
        pairs = pairs & ~(1 << UInt64(depth)) | (isPair ? 1 << UInt64(depth) : 0)
    }

    /// The next element is not an item of the array.
    mutating func endItems() {
        if !option.isEmpty { option = [] }
    }

    func isSecret(_ name: JSONElement, value: JSONElement, depth: Int) -> Bool {
        guard SecretMembers.canHoldSecret(value) else { return false }
        if pairs != 0, depth < 64, pairs >> UInt64(depth) & 1 == 1,
            SecretMembers.valueNames.contains(where: { name.equals($0) })
        {
            return true
        }
        return name.withUTF8 { SecretMembers.isSecret($0, value) } ?? false
    }

    /// Returns the masked text if the previous item is an option that takes a secret.
    mutating func argument(_ string: JSONElement) -> [UInt8]? {
        let before = option
        if !option.isEmpty { option = [] }
        return string.withUTF8 { text -> [UInt8]? in
            if !before.isEmpty, let masked = SecretMembers.masked(text, behind: before) { return masked }
            if text.count <= SecretName.maxBytes, text.byte(at: 0) == UInt8(ascii: "-") {
                option = SecretMembers.option(text)
            }
            return nil
        } ?? nil
    }

    /// Whether the member of a tool's input is a secret and must not be displayed.
    package static func isSecret(_ name: JSONElement, value: JSONElement, of object: JSONElement) -> Bool {
        var members = SecretMembers()
        members.begin(object, depth: 0)
        return members.isSecret(name, value: value, depth: 0)
    }

    private static func isSecret(_ name: Span<UInt8>, _ value: JSONElement) -> Bool {
        switch SecretName.strength(of: name) {
        case nil: false
        case .certain: true
        case .some(let strength):
            (value["stringValue"] ?? value).withUTF8 { SecretValue.isSecret($0, strength) } ?? false
        }
    }

    private static func isPair(_ object: JSONElement) -> Bool {
        for (name, value) in object.members {
            guard let length = name.utf8Count, length == 5 || length == 3,
                valueNames.contains(where: { name.equals($0) })
            else { continue }
            return canHoldSecret(value) && pairNames.contains { object[$0]?.withUTF8 { isSecret($0, value) } ?? false }
        }
        return false
    }

    private static func option(_ text: Span<UInt8>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.append(copying: text)
        let name = text.extracting(text.endOfRun(from: 0) { $0 == UInt8(ascii: "-") }..<text.count)
        return SecretOption.isUser(name) || SecretName.strength(of: name) != nil ? copy : []
    }

    private static func masked(_ text: Span<UInt8>, behind option: [UInt8]) -> [UInt8]? {
        let name = option.span.extracting(option.prefix { $0 == UInt8(ascii: "-") }.count..<option.count)
        if let strength = SecretName.strength(of: name) {
            guard text.byte(at: 0) != UInt8(ascii: "-"), SecretValue.isSecret(text, strength) else { return nil }
            return SecretMasker.mask
        }
        var line = option
        line.append(UInt8(ascii: " "))
        let start = line.count
        line.append(copying: text)
        return SecretMasker.masked(line.span).map { Array($0.dropFirst(start)) }
    }

    private static func canHoldSecret(_ value: JSONElement) -> Bool {
        switch value.kind {
        case .string: value.utf8Count != 0
        case .true, .false, .null: false
        default: true
        }
    }
}
