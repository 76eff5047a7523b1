package import EventModel
package import Sessions

/// The answers that the machine's own file allows for a held prompt. The hook sends them as words of the form
/// `key=value`.
///
/// The hook itself checks the answer against the file before it prints it. The server uses the words only to refuse
/// early, with a reason.
package struct HoldPolicy: Sendable, Equatable {
    package private(set) var terms = PromptTerms()
    /// Ids of devices, and `operator` for the admin token; `nil` means all of them. A device chooses its own name, so
    /// names count for nothing.
    package private(set) var devices: Set<String>?
    /// What the call can do.
    package private(set) var risk: ToolRisk?
    /// The words as sent.
    package let words: String

    /// Unknown words are ignored: a newer hook may send them.
    package init(_ text: String) {
        words = text
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "always": terms.allowsAlways = parts[1] == "yes"
            case "change_input": terms.allowsChangedInput = parts[1] == "yes"
            case "after": terms.after = PromptTerms.After(rawValue: String(parts[1])) ?? .ask
            case "risk": risk = ToolRisk(rawValue: String(parts[1]))
            case "devices": devices = parts[1].isEmpty ? nil : Set(parts[1].split(separator: ",").map(String.init))
            default: break
            }
        }
    }

    /// - Parameter device: its id; `nil` for the operator.
    package func allows(device: String?) -> Bool {
        devices?.contains(device ?? HoldPolicy.operatorID) ?? true
    }

    /// No id of a device, which is a number.
    private static let operatorID = "operator"
}
