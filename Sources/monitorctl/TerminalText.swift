/// Sanitizes external text for a terminal and measures it in terminal columns.
enum TerminalText {
    /// Replaces control characters, bidirectional overrides and similar characters by spaces or removes them, because
    /// the text of an event must not control the terminal.
    static func printable(_ text: some StringProtocol) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: shown.append(" ")
            case .format where scalar != "\u{200D}": continue
            case .surrogate, .unassigned, .privateUse: shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// A text with its line feeds and tabs, without all other control characters and without marks of text direction.
    static func printableLines(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A: true
            case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
            default: scalar.properties.generalCategory != .control
            }
        }
        return String(String.UnicodeScalarView(kept))
    }

    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Two columns for East Asian wide characters and emoji (UAX #11), none for a lone combining mark.
    static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default:
            if scalar.properties.isEmojiPresentation { return 2 }
            return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }

    /// Cuts to `columns`, with an ellipsis in the last column if text was removed.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = width(character)
            guard used + next <= columns - 1 else { break }
            kept.append(character)
            used += next
        }
        return kept + "…"
    }
}
