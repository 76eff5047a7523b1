/// The output of `git diff --raw -z`, and of `git diff --raw --numstat -z`.
struct RawChanges: Equatable {
    struct Entry: Equatable {
        var path: GitPath
        var oldPath: GitPath?
        var status: Character
        var oldMode: String
        var newMode: String

        var isSubmodule: Bool { oldMode == "160000" || newMode == "160000" }
    }

    private(set) var entries: [Entry] = []
    private(set) var counts: [GitPath: NumberedChanges.Count] = [:]

    init(_ bytes: [UInt8]) {
        var fields = Fields(bytes)
        var used = 0
        while let field = fields.next(), field.first == UInt8(ascii: ":") {
            // `:100644 100755 <blob> <blob> R90`
            let words = field.dropFirst().split(separator: UInt8(ascii: " ")).map(decoded)
            guard words.count == 5, let status = words[4].first, let first = fields.next() else { return }
            used = first.endIndex + 1
            var entry = Entry(
                path: GitPath(first),
                oldPath: nil,
                status: status,
                oldMode: words[0],
                newMode: words[1]
            )
            if status == "R" || status == "C" {
                guard let second = fields.next() else { return }
                used = second.endIndex + 1
                (entry.oldPath, entry.path) = (entry.path, GitPath(second))
            }
            entries.append(entry)
        }
        counts = NumberedChanges.read(Array(bytes.dropFirst(used)))
    }
}
