internal import JSON
internal import RPC
internal import Signing
internal import WorkspaceFiles

/// A page of a directory: `file/list`.
struct FileListing: Sendable {
    let start: DirectoryPage.Start
    let limit: Int
    /// Whether git is asked which of the entries it ignores and which it knows.
    let asksGit: Bool
    /// Whether the files in each directory are counted.
    let counts: Bool
    /// Whether names that begin with a dot are listed.
    let showsHidden: Bool

    private static let mostEntries: Int64 = 1000
    /// The entries that are looked at for the counts of one page.
    private static let mostCounted = 20_000

    init(_ params: RPCParams) throws(RPCError) {
        limit = Int(try params.integer("limit", in: 1...FileListing.mostEntries) ?? 200)
        asksGit = try params.boolean("git") ?? false
        counts = try params.boolean("counts") ?? false
        showsHidden = try params.boolean("hidden") ?? true
        let offset = Int(try params.integer("offset", in: 0...100_000_000) ?? 0)
        guard let cursor = try params.string("cursor", limit: 1024) else {
            start = .offset(offset)
            return
        }
        guard let start = DirectoryPage.Start(cursor: cursor) else { throw .invalidParameter("cursor", "is not valid") }
        self.start = start
    }

    func run(_ place: ServedPlace, _ context: WorkspaceContext) throws(CommandRefusal) -> JSONValue {
        let page: DirectoryPage
        do throws(FileFault) {
            page = try DirectoryPage(
                of: place.opened,
                at: place.path,
                below: place.root,
                from: start,
                limit: limit,
                showsHidden: showsHidden
            )
        } catch {
            throw CommandRefusal(error, String(decoding: place.absolute, as: UTF8.self))
        }
        let git = asksGit ? GitNames(context, place) : nil
        let flags = git?.flags(of: page.entries.map { ($0.name, $0.status.kind == .directory) })
        var budget = FileListing.mostCounted
        let entries = page.entries.map { entry in
            var members = FileFacts.text("name", entry.name) + FileFacts.members(of: entry.status)
            if let target = entry.target { members.append(("target_type", .string(target.kind.rawValue))) }
            members.append(("is_secret", .bool(place.isSecret(entry.name))))
            if let flags {
                members.append(("is_ignored", .bool(flags.ignored.contains(entry.name))))
                members.append(("is_tracked", .bool(flags.tracked.contains(entry.name))))
            }
            if counts, entry.status.kind == .directory {
                let count = DirectoryCount(of: place.path.appending(entry.name), below: place.root, budget: &budget)
                members.append(("file_count", .integer(Int64(count.files))))
                members.append(("total_size", .integer(count.bytes)))
            }
            return JSONValue.object(members)
        }
        return .object(
            FileFacts.text("path", place.absolute) + FileFacts.text("root", place.root.path) + [
                ("entries", .array(entries)), ("sorted", .bool(page.isSorted)),
                ("files", page.files.map { .integer(Int64($0)) } ?? .null),
                ("directories", page.directories.map { .integer(Int64($0)) } ?? .null),
                ("next_cursor", page.next.map { .string($0.cursor) } ?? .null),
            ]
        )
    }
}

extension DirectoryPage.Start {
    /// The place as a text that is passed back unchanged.
    var cursor: String {
        switch self {
        case .offset(let offset): "o\(offset)"
        case .place(let place): "p\(place)"
        case .after(let name, let isDirectory): (isDirectory ? "d" : "f") + Base64URL.encode(name)
        }
    }

    init?(cursor: String) {
        let rest = cursor.dropFirst()
        switch cursor.utf8.first {
        case UInt8(ascii: "o"):
            guard let offset = Int(rest), offset >= 0 else { return nil }
            self = .offset(offset)
        case UInt8(ascii: "p"):
            guard let place = Int(rest) else { return nil }
            self = .place(place)
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            guard let name = Base64URL.decode(rest) else { return nil }
            self = .after(name: name, isDirectory: cursor.utf8.first == UInt8(ascii: "d"))
        default: return nil
        }
    }
}
