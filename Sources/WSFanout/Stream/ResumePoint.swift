public import EventModel

/// The position after which a client resumes: after event `seq`. `nil` as epoch means the current one.
public struct ResumePoint: Sendable, Hashable {
    public var epoch: String?
    public var seq: Int64

    public init(epoch: String?, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    public init(_ position: StreamPosition) {
        self.init(epoch: position.epoch, seq: position.seq)
    }

    /// Stands for an unreadable cursor. It belongs to no epoch, so it is never recovered.
    public static let unreadable = ResumePoint(epoch: "", seq: 0)
}

/// The cursor as text, `<epoch>:<seq>`: the id of server-sent events and the `since` of query strings.
public enum PositionText {
    public static func format(_ position: StreamPosition) -> String {
        "\(position.epoch):\(position.seq)"
    }

    /// Parses `<epoch>:<seq>` or `<seq>`. Returns `nil` if `seq` is not a decimal number from 0 to `Int64.max`.
    public static func parse(_ text: String) -> ResumePoint? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            return seq(text[...]).map { ResumePoint(epoch: nil, seq: $0) }
        }
        let epoch = text[..<colon]
        guard !epoch.isEmpty, let seq = seq(text[text.utf8.index(after: colon)...]) else { return nil }
        return ResumePoint(epoch: String(epoch), seq: seq)
    }

    private static func seq(_ digits: Substring) -> Int64? {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(digits)
    }
}
