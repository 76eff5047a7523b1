internal import EventModel
internal import JSON

/// Decides whether a text shows the whole input of a tool. Compares the finished text with what was sent, so that no
/// step that shortens, flattens or masks the text can be forgotten.
enum WholeInput {
    /// The texts of a permission request that show its whole input; none for other events.
    static func shown(of hook: JSONElement, event: HookEventName?, summary: String, payload: [UInt8]) -> ShownInput {
        guard event?.known == .permissionRequest, let input = hook["tool_input"], input.isObject else { return [] }
        var shown: ShownInput = []
        if isWhole(summary, of: hook, input) { shown.insert(.summary) }
        let stored = try? JSONParser(maxDepth: 200).withDocument(payload) { asked(by: $0) }
        if stored == asked(by: hook) { shown.insert(.payload) }
        return shown
    }

    /// The members of the hook's object by which a person decides.
    private static func asked(by hook: JSONElement) -> [UInt8] {
        var writer = JSONWriter()
        for name in ["tool_input", "permission_suggestions"] as [StaticString] {
            if let value = hook[name] { value.write(to: &writer) } else { writer.raw("null") }
        }
        return writer.bytes
    }

    /// Whether the line is the tool's name and the one member that has an effect.
    private static func isWhole(_ line: String, of hook: JSONElement, _ input: JSONElement) -> Bool {
        guard let tool = hook["tool_name"], let name = tool.string, !name.isEmpty else { return false }
        let shown = ToolSummary.shownMember(tool: tool, input: input)
        var isShown = shown == nil
        for (member, value) in input.members {
            if !isShown, let shown, member.equals(shown) {
                isShown = true
            } else if !hasNoEffect(member, value, of: tool) {
                return false
            }
        }
        let text = shown.flatMap { input[$0]?.string }.map { "\(name): \($0)" } ?? name
        return line.utf8.elementsEqual(text.utf8) && VisibleText.isVisible(text)
    }

    /// Whether the call does the same without this member.
    private static func hasNoEffect(_ member: JSONElement, _ value: JSONElement, of tool: JSONElement) -> Bool {
        guard tool.equals("Bash") || tool.equals("PowerShell") else { return false }
        if member.equals("description") { return value.isString }
        if member.equals("timeout") { return value.kind == .integer || value.kind == .double }
        let isFlag = member.equals("run_in_background") || member.equals("dangerouslyDisableSandbox")
        return isFlag && value.bool == false
    }
}

/// Whether a person sees every character of a text, in its place.
enum VisibleText {
    /// False for a text with a control character, a line end included, a character without a shape of its own, a space
    /// other than U+0020, or a character of a script that is written from right to left, which moves those around it.
    /// Also false for more than four marks on one character, which are drawn over its neighbours.
    static func isVisible(_ text: String) -> Bool {
        var marks = 0
        return text.unicodeScalars.allSatisfy { scalar in
            if (0x20...0x7E).contains(scalar.value) {
                marks = 0
                return true
            }
            marks = isMark(scalar) ? marks + 1 : 0
            return scalar.value > 0x9F && hasShape(scalar) && !isRightToLeft(scalar) && marks <= 4
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    /// A blank Braille pattern, a joiner of Tifinagh, a filler of Khitan, a musical note without a head; and U+FFFD,
    /// which stands for bytes that could not be read.
    private static let blanks: [UInt32] = [0x2800, 0x2D7F, 0x1_6FE4, 0x1_D159, 0xFFFD]

    private static func hasShape(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        guard !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint else { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            return false
        default: return !blanks.contains(scalar.value)
        }
    }

    /// The blocks of Hebrew, Arabic and the other scripts that Unicode reserves for this direction.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
        default: false
        }
    }
}
