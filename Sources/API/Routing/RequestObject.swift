internal import EventModel
package import HTTPModel
package import JSON

extension JSONValue {
    /// The body of a request that must be a JSON object.
    package init(object body: [UInt8], maxDepth: Int = 8) throws(APIError) {
        guard let json = try? JSONValue.parse(body, maxDepth: maxDepth), json.isObject else {
            throw .invalid("invalid_json", "The body must be a JSON object.")
        }
        self = json
    }
}

/// A request body that must be a JSON object with string members.
package struct RequestObject {
    private let json: JSONValue

    package init(_ body: [UInt8]) throws(APIError) {
        json = try JSONValue(object: body)
    }

    /// An empty body is an empty object.
    package init(optional body: [UInt8]) throws(APIError) {
        try self.init(body.isEmpty ? Array("{}".utf8) : body)
    }

    /// Returns `nil` if the member is missing or null.
    package func optionalNames(_ name: String) throws(APIError) -> [String]? {
        guard let value = json[name], value != .null else { return nil }
        let names = value.array?.compactMap(\.string) ?? []
        guard let count = value.array?.count, (1...100).contains(count), names.count == count,
            names.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 800 })
        else { throw .invalid("invalid_parameter", "'\(name)' must be 1 to 100 names.", param: name) }
        return names
    }

    /// Returns false if the member is missing or null.
    package func has(_ name: String) -> Bool { json[name] != nil && json[name] != .null }

    package func text(_ name: String, atMost limit: Int) throws(APIError) -> String {
        guard let text = try optionalText(name, atMost: limit) else {
            throw .invalid("missing_parameter", "'\(name)' is missing.", param: name)
        }
        return text
    }

    /// Returns `nil` if the member is missing or null.
    /// - Parameter limit: in Unicode scalars. One visible character may consist of any number of them.
    package func optionalText(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be 1 to \(limit) characters, without control characters.",
                param: name
            )
        }
        return text
    }
}
