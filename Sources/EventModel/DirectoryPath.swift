@_spi(_Unicode) import Swift

/// The spelling by which a project's directory is recognized.
///
/// Programs spell one directory differently: VS Code writes `c:` and the terminal `C:`, shells leave a slash at the
/// end, and macOS decomposes accents.
public enum DirectoryPath {
    /// Returns the path in NFC, without empty and `.` parts and without `..` where a part precedes it. A Windows
    /// path gets an upper-case drive letter and backslashes.
    ///
    /// The letter case of names is kept, because the path does not show whether its file system ignores case. Symbolic
    /// links are not followed.
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

    /// The last part of the path, or the path if it has no parts.
    public static func lastPart(of path: String) -> String {
        path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
    }

    private static func isParent(_ part: Substring.UnicodeScalarView) -> Bool {
        part.elementsEqual("..".unicodeScalars)
    }

    /// The root, the path below it, and the separator of the parts. Works on scalars: a combining mark after a slash
    /// does not change the slash.
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
