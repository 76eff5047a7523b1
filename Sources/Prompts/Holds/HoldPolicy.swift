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

    /// Unknown words are ignored: a newer hook may send them. A hook that does not say `edits=yes` accepts none.
    package init(_ text: String) {
        words = text
        var values: [Substring: Substring] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        terms.allowsAlways = values["always"] == "yes"
        terms.allowsChangedInput = values["change_input"] == "yes"
        terms.after = values["after"].flatMap { PromptTerms.After(rawValue: String($0)) } ?? .ask
        let allowsEdits = values["edits"] == "yes"
        terms.modes = allowsEdits ? [.default, .acceptEdits] : [.default]
        terms.allowsDirectories = values["directories"].map { $0 == "yes" } ?? allowsEdits
        terms.rules = !terms.allowsAlways ? .exact : values["rules"] == "suggested" ? .suggested : .any
        risk = values["risk"].flatMap { ToolRisk(rawValue: String($0)) }
        devices = values["devices"].flatMap { $0.isEmpty ? nil : Set($0.split(separator: ",").map(String.init)) }
    }

    /// - Parameter device: its id; `nil` for the operator.
    package func allows(device: String?) -> Bool {
        devices?.contains(device ?? HoldPolicy.operatorID) ?? true
    }

    /// No id of a device, which is a number.
    private static let operatorID = "operator"
}
