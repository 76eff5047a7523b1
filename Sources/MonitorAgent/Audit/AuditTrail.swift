internal import EventModel
internal import JSON
internal import Signing

/// The agent's own record of what it was asked and what it did: one JSON object a line. Each contains the digest of the
/// one before, so that a line that was changed or taken out is noticed. It contains no text that a person wrote.
final class AuditTrail {
    private let path: String
    private let limit: Int64
    private var file: GrowingFile
    private var last: String
    private var number: Int64

    static let generations = 4

    /// - Parameter limit: bytes after which a new file begins.
    init(_ path: String, limit: Int64 = 64 << 20) throws(OwnFile.Fault) {
        (self.path, self.limit) = (path, limit)
        let tail = OwnFile.tail(path, atMost: 64 << 10)
        (last, number) = AuditTrail.end(of: tail)
        file = try GrowingFile(path)
        // A crash may have cut the last line.
        if tail.last.map({ $0 != UInt8(ascii: "\n") }) == true { try file.append([UInt8(ascii: "\n")]) }
    }

    func record(_ what: String, at time: Timestamp, _ fields: [(String, JSONValue)] = []) throws(OwnFile.Fault) {
        if file.size >= limit { try rotate() }
        let next = number + 1
        var members: [(String, JSONValue)] = [
            ("seq", .integer(next)), ("at", .string("\(time)")), ("what", .string(what)),
        ]
        members += fields
        members.append(("prev", .string(last)))
        let (line, digest) = AuditTrail.line(members)
        try file.append(line)
        (last, number) = (digest, next)
    }

    private func rotate() throws(OwnFile.Fault) {
        for generation in stride(from: AuditTrail.generations - 1, to: 0, by: -1) {
            try OwnFile.rename("\(path).\(generation)", to: "\(path).\(generation + 1)")
        }
        try OwnFile.rename(path, to: "\(path).1")
        file = try GrowingFile(path)
    }

    static func line(_ members: [(String, JSONValue)]) -> (line: [UInt8], digest: String) {
        var writer = JSONWriter()
        writer.value(.object(members))
        var line = writer.bytes
        let digest = Hex.encode(Digest.sha256(line))
        line.removeLast()
        line += Array(",\"hash\":\"\(digest)\"}\n".utf8)
        return (line, digest)
    }

    private static let beginning = String(repeating: "0", count: 64)

    /// The digest and the number of the last whole line.
    private static func end(of tail: [UInt8]) -> (digest: String, number: Int64) {
        for line in tail.split(separator: UInt8(ascii: "\n")).reversed() {
            if let (members, digest) = check(Array(line)) { return (digest, members["seq"]?.integer ?? 0) }
        }
        return (beginning, 0)
    }

    /// The line's members and digest, or `nil` if the digest is not that of the line.
    static func check(_ line: [UInt8]) -> (JSONValue, String)? {
        let tail = 75  // ,"hash":"…"}
        guard line.count > tail, let value = try? JSONValue.parse(line), let digest = value["hash"]?.string,
            Hex.encode(Digest.sha256(Array(line[..<(line.count - tail)]) + [UInt8(ascii: "}")])) == digest
        else { return nil }
        return (value, digest)
    }

    /// The number of the first line that does not follow from the one before it, or `nil` if all do.
    static func fault(in text: [UInt8]) -> Int? {
        var previous: String?
        for (index, line) in text.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let (members, digest) = check(Array(line)) else { return index + 1 }
            if let previous, members["prev"]?.string != previous { return index + 1 }
            previous = digest
        }
        return nil
    }
}
