/// Text of others for a terminal.
enum ShownText {
    /// One line without control characters, which terminals obey.
    static func line(_ text: String) -> String {
        let shown = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "?"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(shown))
    }
}
