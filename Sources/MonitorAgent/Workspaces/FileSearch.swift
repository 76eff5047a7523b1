internal import Host
internal import JSON
internal import RPC
internal import Signing
internal import Workers
internal import WorkspaceFiles

/// Files below a directory, by their names or by their content: `file/search`. What git ignores is left out.
struct FileSearch: Sendable {
    enum Subject: Sendable {
        case names(NameSearch.Mode)
        case content(ignoresCase: Bool)
    }

    let query: [UInt8]
    let subject: Subject
    let extensions: [[UInt8]]
    let offset: Int
    let limit: Int

    private static let contentSeconds = 5.0
    /// The share of the command's time in which an index must be built.
    private static let buildShare = 0.8
    private static let gitSeconds: Int32 = 5

    init(_ params: RPCParams) throws(RPCError) {
        query = Array(try params.required("query", limit: 1024).utf8)
        guard !query.contains(0) else { throw .invalidParameter("query", "contains NUL") }
        let mode = try params.string("mode", limit: 16) ?? "fuzzy"
        if mode == "content" {
            subject = .content(ignoresCase: try params.boolean("ignore_case") ?? false)
        } else {
            guard let mode = NameSearch.Mode(rawValue: mode) else { throw .invalidParameter("mode", "is unknown") }
            subject = .names(mode)
        }
        extensions = (try params.strings("extensions", count: 0...32) ?? []).map { Array($0.utf8) }
        offset = Int(try params.integer("offset", in: 0...100_000) ?? 0)
        limit = Int(try params.integer("limit", in: 1...1000) ?? 100)
    }

    func run(_ place: ServedPlace, _ context: WorkspaceContext) async throws -> JSONValue {
        guard place.opened.status.kind == .directory else {
            throw CommandRefusal(.notDirectory, String(decoding: place.absolute, as: UTF8.self))
        }
        let began = SystemClock.monotonicSeconds()
        var members: FileFacts.Members
        switch subject {
        case .names(let mode): members = await names(mode, place, context, began)
        case .content(let ignoresCase):
            members = await runBlocking { [self] in content(ignoresCase, place, context, began) }
        }
        members += FileFacts.text("path", place.absolute) + FileFacts.text("root", place.root.path)
        members.append(("elapsed_ms", .integer(Int64((SystemClock.monotonicSeconds() - began) * 1000))))
        return .object(members)
    }

    private func names(
        _ mode: NameSearch.Mode,
        _ place: ServedPlace,
        _ context: WorkspaceContext,
        _ began: Double
    ) async -> FileFacts.Members {
        let end = began + context.seconds * FileSearch.buildShare
        let excluded = place.excluded
        // What the machine's file excludes is part of what the index is of.
        let subject = ([place.opened.realPath] + excluded.sorted { $0.lexicographicallyPrecedes($1) }).joined(
            separator: [0])
        let index = await context.services.indexes.index(of: Array(subject)) {
            let git = GitNames(context, place)
            return NameIndex(
                of: place.opened,
                skipping: git.ignored(FileSearch.gitSeconds).union(excluded),
                ignored: { git.ignored(inside: $0, FileSearch.gitSeconds) },
                mayContinue: { SystemClock.monotonicSeconds() < end }
            )
        }
        return await runBlocking { [self] in
            let (hits, total) = NameSearch(query, mode: mode, extensions: extensions)
                .run(in: index, offset: offset, limit: limit)
            let results = hits.map { hit in
                var members = FileFacts.text("path", hit.path)
                if let path = try? RelativePath(hit.path),
                    let opened = try? place.root.open(RelativePath(parts: place.path.parts + path.parts))
                {
                    members += FileFacts.members(of: opened.status)
                }
                members += [("score", .number(hit.score)), ("is_secret", .bool(place.isSecret(hit.path)))]
                return JSONValue.object(members)
            }
            return [
                ("results", .array(results)), ("total", .integer(Int64(total))),
                ("files", .integer(Int64(index.count))),
                ("complete", .bool(index.isWhole)),
            ]
        }
    }

    private func content(
        _ ignoresCase: Bool,
        _ place: ServedPlace,
        _ context: WorkspaceContext,
        _ began: Double
    ) -> FileFacts.Members {
        let git = GitNames(context, place)
        let ignored = git.ignored(FileSearch.gitSeconds).union(place.excluded)
        // What git needs does not count.
        let end = min(SystemClock.monotonicSeconds() + FileSearch.contentSeconds, began + context.seconds * 0.8)
        let result = ContentSearch(query, ignoresCase: ignoresCase).run(
            in: place.opened,
            skipping: ignored,
            ignored: { git.ignored(inside: $0, 1) },
            isHidden: { !place.isReadable($0.bytes) },
            mayContinue: { SystemClock.monotonicSeconds() < end }
        )
        let hits = result.hits.dropFirst(offset).prefix(limit).map { hit in
            JSONValue.object(
                FileFacts.text("path", hit.path) + [
                    ("line", .integer(Int64(hit.line))), ("column", .integer(Int64(hit.column))),
                    ("text", .string(String(decoding: hit.text, as: UTF8.self))),
                ]
            )
        }
        return [
            ("results", .array(Array(hits))), ("total", .integer(Int64(result.hits.count))),
            ("files", .integer(Int64(result.files))), ("complete", .bool(result.end == nil)),
            ("reason", result.end.map { .string($0.rawValue) } ?? .null),
        ]
    }
}
