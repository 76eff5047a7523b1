internal import HTTPModel
internal import JSON
internal import Tools

/// Reads the members of a session's configuration.
struct ConfigReader {
    /// The most names in a list.
    static let most = 500
    private static let mostNameBytes = 256

    private let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    struct Rule {
        /// `nil` means all.
        var enabled: [String]?
        var disabled: [String] = []
        var approvals: [String] = []
    }

    /// What the hints of tools decide.
    struct Hints {
        var filter: ToolkitFilter.Hints
        var approvals: Set<String>
    }

    func text(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, (1...limit).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw RouterFault.badRequest(
                "'\(name)' must be a text of 1 to \(limit) bytes, without control characters.",
                param: name
            )
        }
        return text
    }

    func flag(_ name: String, _ member: String) throws(APIError) -> Bool? {
        guard let value = json[name]?[member], value != .null else { return nil }
        guard let flag = value.bool else {
            throw RouterFault.badRequest("'\(name).\(member)' must be true or false.", param: name)
        }
        return flag
    }

    func members(_ name: String) throws(APIError) -> [(String, JSONValue)] {
        guard let value = json[name], value != .null else { return [] }
        guard case .object(let members) = value, members.count <= ConfigReader.most else {
            throw RouterFault.badRequest("'\(name)' must be an object.", param: name)
        }
        return members.map { (ConfigReader.toolkit($0.0), $0.1) }
    }

    /// `["a"]`, `{"enable":["a"]}`, `{"disable":["a"]}`, and with `require_approval`; `nil` without a value.
    static func rule(_ value: JSONValue?, _ name: String) throws(APIError) -> Rule? {
        guard let value, value != .null else { return nil }
        if value.array != nil { return Rule(enabled: try names(value, name)) }
        guard value.isObject else {
            throw RouterFault.badRequest("'\(name)' must be a list of names, or an object.", param: name)
        }
        var rule = Rule()
        if let enabled = value["enable"] ?? value["enabled"], enabled != .null {
            rule.enabled = try names(enabled, name)
        }
        if let disabled = value["disable"] ?? value["disabled"], disabled != .null {
            guard rule.enabled == nil else {
                throw RouterFault.badRequest("'\(name)' has 'enable' and 'disable': give one.", param: name)
            }
            rule.disabled = try names(disabled, name)
        }
        if let approvals = value["require_approval"], approvals != .null { rule.approvals = try names(approvals, name) }
        return rule
    }

    static func hints(_ value: JSONValue?, _ name: String) throws(APIError) -> Hints? {
        guard let value, value != .null else { return nil }
        guard value.isObject || value.array != nil else {
            throw RouterFault.badRequest("'\(name)' must be a list of tags, or an object.", param: name)
        }
        let enabled = value.array == nil ? value["enable"] ?? value["enabled"] ?? .null : value
        let filter = ToolkitFilter.Hints(
            enabled: enabled == .null ? nil : try tags(enabled, name),
            disabled: try tags(value["disable"] ?? value["disabled"] ?? .null, name)
        )
        return Hints(filter: filter, approvals: Set(try tags(value["require_approval"] ?? .null, name)))
    }

    private static func tags(_ value: JSONValue, _ name: String) throws(APIError) -> [String] {
        let tags = value == .null ? [] : try names(value, name)
        if let unknown = tags.first(where: { !SessionConfig.hintNames.contains($0) }) {
            throw RouterFault.badRequest("'\(name)' has no tag '\(RouterFault.shown(unknown))'.", param: name)
        }
        return tags
    }

    static func names(_ value: JSONValue, _ name: String) throws(APIError) -> [String] {
        let names = value.array?.compactMap(\.string) ?? []
        guard let count = value.array?.count, count == names.count, count <= most,
            names.allSatisfy({ (1...mostNameBytes).contains($0.utf8.count) && !$0.utf8.contains(0) })
        else { throw RouterFault.badRequest("'\(name)' must have lists of at most \(most) names.", param: name) }
        return names
    }

    /// Slugs of toolkits are in lower case, whatever case a request uses.
    static func toolkit(_ name: String) -> String { name.lowercased() }
}
