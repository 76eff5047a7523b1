/// What a tool call can do, from the lowest to the highest.
public enum ToolRisk: String, Sendable, CaseIterable, Comparable {
    case read
    case edit
    case execute
    case network
    case delete
    case credentials
    case publish

    public static func < (left: ToolRisk, right: ToolRisk) -> Bool { left.rank < right.rank }

    private var rank: Int { ToolRisk.allCases.firstIndex(of: self) ?? 0 }

    /// The risk of a call that the table cannot judge.
    public static let highest = ToolRisk.publish
}
