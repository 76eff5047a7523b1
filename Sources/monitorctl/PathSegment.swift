import Foundation

/// A part of a path that a person has typed.
enum PathSegment {
    static func encode(_ text: String) throws(CommandError) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        guard let encoded = text.addingPercentEncoding(withAllowedCharacters: allowed), !encoded.isEmpty else {
            throw .refused("'\(text)' is not an id")
        }
        return encoded
    }
}
