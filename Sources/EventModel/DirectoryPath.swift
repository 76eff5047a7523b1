@_spi(_Unicode) import Swift

/// The canonical spelling of a project's directory, which identifies the project.
///
/// Programs spell the same directory differently: VS Code writes `c:` and the terminal `C:`, shells append a slash, and
/// macOS decomposes accented letters.
public enum DirectoryPath {
    /// Returns the path in NFC. Removes empty and `.` components, and each `..` together with the component before it.
    /// A Windows path gets an upper-case drive letter and backslashes.
    ///
    /// Keeps the case of names, because the path does not show whether its file system ignores case. Does not follow
    /// symbolic links.
    ///
    /// The migration `project_spellings` has the same rules in SQL.
    public static func canonical(_ path: String) -> String {
        let (root, rest, separator) = split(normalized(path).unicodeScalars)
        var parts: [Substring.UnicodeScalarView] = []
        let isSeparator: (Unicode.Scalar) -> Bool = { $0 == "/" || $0 == separator }
        for part in rest.split(whereSeparator: isSeparator) where !part.elementsEqual(".".unicodeScalars) {
            if !isParent(part) {
                parts.append(part)
            } else if let last = parts.last, !isParent(last) {
                parts.removeLast()
            } else if root.isEmpty {
                parts.append(part)
            }
        }
        let canonical = root + parts.map { String($0) }.joined(separator: String(separator))
        return canonical.isEmpty && !path.isEmpty ? "." : canonical
    }

    /// Returns the last component of the path, or the path if it has no components.
    public static func lastPart(of path: String) -> String {
        path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
    }

    private static func isParent(_ part: Substring.UnicodeScalarView) -> Bool {
        part.elementsEqual("..".unicodeScalars)
    }

    /// Returns the root, the path below it, and the separator of the components. Works on scalars, because a combining
    /// mark after a slash would otherwise hide the slash.
    private static func split(
        _ path: String.UnicodeScalarView
    ) -> (root: String, rest: Substring.UnicodeScalarView, separator: Unicode.Scalar) {
        let start = Array(path.prefix(3))
        if start.starts(with: ["\\", "\\"]) { return ("\\\\", path.dropFirst(2), "\\") }
        if start.count == 3, start[0].isASCII, start[0].properties.isAlphabetic, start[1] == ":",
            start[2] == "\\" || start[2] == "/"
        {
            return (start[0].properties.uppercaseMapping + ":\\", path.dropFirst(3), "\\")
        }
        return start.first == "/" ? ("/", path.dropFirst(), "/") : ("", path[...], "/")
    }

    private static func normalized(_ path: String) -> String {
        if path.utf8.allSatisfy({ $0 < 0x80 }) { return path }
        var scalars = String.UnicodeScalarView()
        for scalar in path._nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
