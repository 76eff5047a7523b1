public import JSON

extension Digest {
    /// SHA-256 of the JSON with sorted members, in hexadecimal. Values that say the same have the same digest.
    public static func hex(ofSorted json: JSONValue) -> String {
        Hex.encode(sha256(json.sorted().encoded))
    }
}
