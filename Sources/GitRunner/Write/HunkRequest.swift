/// Hunks of one file that are staged, unstaged or discarded.
package struct HunkRequest: Sendable {
    package enum Action: String, Sendable, CaseIterable { case stage, unstage, discard }

    package var action: Action
    package var path: GitPath
    /// The blob from which the hunks go, as a diff has said it.
    package var base: String
    /// The blob that contains the hunks already; nil if it is not compared.
    package var target: String?
    /// The hunks' headings, such as `@@ -1,3 +1,4 @@`, or the whole hunks.
    package var hunks: [String]

    package static let most = 1000

    package init(action: Action, path: GitPath, base: String, target: String?, hunks: [String]) {
        (self.action, self.path, self.base) = (action, path, base)
        (self.target, self.hunks) = (target, hunks)
    }
}

/// Chooses hunks of a patch. Pure.
struct HunkChoice {
    let text: DiffText

    /// The patch with the chosen hunks alone; nil if one of them is not in the patch any more.
    ///
    /// - Parameter isReversed: the patch will be applied backwards.
    func patch(_ hunks: [String], isReversed: Bool) -> [UInt8]? {
        var chosen: Set<Int> = []
        for wanted in hunks {
            guard let index = text.hunks.firstIndex(where: { HunkChoice.matches($0, wanted) }) else { return nil }
            chosen.insert(index)
        }
        guard !chosen.isEmpty else { return nil }
        // A change of the mode stays where it is.
        let modes = ["old mode ", "new mode "].map { Array($0.utf8) }
        var lines = text.heading.filter { line in !modes.contains { line.starts(with: $0) } }.map { Array($0) }
        var shift = 0
        for index in chosen.sorted() {
            let hunk = text.hunks[index]
            // Git looks for a hunk at the line where it lands, so that is said as if the others did not exist.
            let lands = isReversed ? hunk.newStart + shift : hunk.oldStart + shift
            let delta = hunk.newCount - hunk.oldCount
            let (old, new) =
                isReversed
                ? (start(lands, hunk.newCount, hunk.oldCount), hunk.newStart)
                : (hunk.oldStart, start(lands, hunk.oldCount, hunk.newCount))
            lines.append(Array("@@ -\(old),\(hunk.oldCount) +\(new),\(hunk.newCount) @@".utf8))
            lines += hunk.lines.dropFirst().map { Array($0) }
            shift += isReversed ? -delta : delta
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    }

    /// A range without lines is said to begin at the line before it.
    private func start(_ from: Int, _ fromCount: Int, _ toCount: Int) -> Int {
        if fromCount == 0, toCount > 0 { return from + 1 }
        if fromCount > 0, toCount == 0 { return from - 1 }
        return from
    }

    private static func matches(_ hunk: DiffText.Hunk, _ wanted: String) -> Bool {
        var wanted = Array(wanted.utf8)
        while wanted.last == UInt8(ascii: "\n") { wanted.removeLast() }
        if wanted.contains(UInt8(ascii: "\n")) { return hunk.text == wanted }
        return Array(hunk.range.utf8) == DiffText.Hunk.range(wanted)
    }
}
