/// Calls of tools that a program or a device has asked for, and not the model.
enum RequestedCall {
    /// How Claude Code and the machine's agent begin the ids of such calls.
    private static let prefixes = ["toolu_mcp_call_", "toolu_monitor_"]

    static func has(_ toolUseID: String?) -> Bool {
        prefixes.contains { toolUseID?.hasPrefix($0) ?? false }
    }
}
