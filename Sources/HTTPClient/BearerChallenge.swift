/// The challenge with which a server refuses a request without a good token (RFC 6750 section 3, RFC 9728 section 5.1).
package struct BearerChallenge: Sendable, Equatable {
    /// The address at which the server says its metadata is.
    package var resourceMetadata: String?
    /// The scope that the request needs.
    package var scope: String?
    /// Such as `invalid_token` or `insufficient_scope`.
    package var error: String?

    package init(resourceMetadata: String? = nil, scope: String? = nil, error: String? = nil) {
        (self.resourceMetadata, self.scope, self.error) = (resourceMetadata, scope, error)
    }

    /// The first challenge of the scheme `Bearer`. Returns `nil` if there is none.
    ///
    /// - Parameter fields: the values of the headers `WWW-Authenticate`. One value may hold several challenges.
    package init?(_ fields: [String]) {
        for field in fields {
            var reader = ChallengeReader(field)
            guard let found = reader.challenges().first(where: { $0.scheme == "bearer" }) else { continue }
            self.init(
                resourceMetadata: found.parameters["resource_metadata"],
                scope: found.parameters["scope"],
                error: found.parameters["error"]
            )
            return
        }
        return nil
    }
}

/// Reads `challenge = scheme [ SP ( token68 / #auth-param ) ]` (RFC 9110 section 11.3).
private struct ChallengeReader {
    struct Challenge {
        var scheme: String
        var parameters: [String: String] = [:]
    }

    private var rest: ArraySlice<UInt8>

    init(_ field: String) {
        rest = Array(field.utf8.prefix(8192))[...]
    }

    /// Returns the challenges before the first syntax error.
    mutating func challenges() -> [Challenge] {
        var found: [Challenge] = []
        while true {
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            guard let word = token() else { return found }
            skip(Self.isSpace)
            guard rest.first == UInt8(ascii: "=") else {
                found.append(Challenge(scheme: word.lowercased()))
                continue
            }
            let equals = rest.prefix { $0 == UInt8(ascii: "=") }.count
            rest = rest.dropFirst(equals)
            skip(Self.isSpace)
            // Two equals signs, or nothing after one, end a token68.
            if equals > 1 || rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
            guard !found.isEmpty, let value = rest.first == UInt8(ascii: "\"") ? quoted() : token() else {
                return found
            }
            let last = found.count - 1
            // A repeated parameter is an error; the first one is used.
            if found[last].parameters[word.lowercased()] == nil {
                found[last].parameters[word.lowercased()] = value
            }
        }
    }

    private mutating func token() -> String? {
        let word = rest.prefix(while: Self.isTokenByte)
        rest = rest.dropFirst(word.count)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(validating: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            text.append(escaped)
        }
        return nil
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Bytes of a token, and those that only a token68 has.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~/".utf8.contains(byte)
        }
    }
}
