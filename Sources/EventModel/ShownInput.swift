/// The texts that show the whole input of a tool: every byte of every member that has an effect, with nothing masked.
///
/// A person who sees only one of these texts may allow the call only if that text is in the set.
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
