/// The texts that show the whole input of a tool: every member that has an effect, every byte, nothing masked.
///
/// A person may allow a call by one of these texts alone only if it is in the set.
public struct ShownInput: OptionSet, Sendable, Hashable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The event's summary, which is one line.
    public static let summary = ShownInput(rawValue: 1)
    /// `tool_input` in the event's payload.
    public static let payload = ShownInput(rawValue: 1 << 1)
}
