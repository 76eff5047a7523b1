/// The result of one check of the doctor.
struct DoctorCheck: Encodable, Equatable {
    enum Status: String, Encodable {
        case ok
        case warning
        case failed
    }

    var name: String
    var status: Status
    /// The finding.
    var detail: String
    /// How to fix it.
    var advice: String?

    static func ok(_ name: String, _ detail: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .ok, detail: detail, advice: nil)
    }

    static func warning(_ name: String, _ detail: String, do advice: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .warning, detail: detail, advice: advice)
    }

    static func failed(_ name: String, _ detail: String, do advice: String) -> DoctorCheck {
        DoctorCheck(name: name, status: .failed, detail: detail, advice: advice)
    }

    func line(_ style: TerminalStyle) -> String {
        let colours: [Status: TerminalStyle.Colour] = [.ok: .green, .warning: .yellow, .failed: .red]
        let word = status.rawValue + String(repeating: " ", count: 7 - status.rawValue.count)
        let title = name + String(repeating: " ", count: max(0, 14 - name.count))
        let found = "\(style.apply(colours[status], to: word))  \(title)  \(TerminalText.printable(detail))"
        return advice.map { "\(found)\n         \(String(repeating: " ", count: 14))  -> \($0)" } ?? found
    }
}
