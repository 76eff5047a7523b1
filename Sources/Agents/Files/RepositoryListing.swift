package import API
package import HTTPModel
internal import JSON

/// A page of a project's directory, in cdev's form.
package struct RepositoryListing: Sendable {
    /// Below the project's directory.
    package let directory: String
    package let limit: Int64
    package let offset: Int64
    package let isHiddenIncluded: Bool

    package init(directory: String, limit: Int64, offset: Int64, isHiddenIncluded: Bool = true) {
        self.directory = RepositoryListing.plain(directory)
        (self.limit, self.offset, self.isHiddenIncluded) = (limit, offset, isHiddenIncluded)
    }

    /// Without `./` before it and slashes after it.
    private static func plain(_ directory: String) -> String {
        let parts = directory.split(separator: "/").filter { $0 != "." }
        return (directory.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    static let shape = ObjectShape<Answer>("RepositoryFiles") { it in
        it.member("directory") { $0.request.directory }
        it.list("directories", of: directoryShape) { answer in
            answer.list.entries.filter { $0.kind == "directory" }.map { Entry(answer.request.directory, $0) }
        }
        it.list("files", of: fileShape) { answer in
            answer.list.entries.filter { $0.kind != "directory" }.map { Entry(answer.request.directory, $0) }
        }
        it.member("total_files", as: JSONSchema.count) { $0.total("files") }
        it.member("total_directories", as: JSONSchema.count) { $0.total("directories") }
        it.object("pagination") { it in
            it.member("limit", as: JSONSchema.count) { $0.request.limit }
            it.member("offset", as: JSONSchema.count) { $0.request.offset }
            it.member("has_more") { $0.list.json["next_cursor"]?.string != nil }
        }
    }

    struct Answer: Sendable {
        let request: RepositoryListing
        let list: FileList

        /// A directory that is too large to count has at least what is shown.
        func total(_ name: String) -> Int64 {
            let shown = list.entries.count { ($0.kind == "directory") == (name == "directories") }
            return list.json[name]?.integer ?? Int64(shown)
        }
    }

    private struct Entry: Sendable {
        let directory: String
        let file: MachineFile

        init(_ directory: String, _ file: MachineFile) { (self.directory, self.file) = (directory, file) }

        var path: String { directory.isEmpty ? file.name : directory + "/" + file.name }

        var `extension`: String { RepositoryPath(file.name).extension }

        func flag(_ name: String) -> Bool { file.json[name]?.bool ?? false }
    }

    private static let directoryShape = ObjectShape<Entry>("RepositoryDirectory") { it in
        it.member("path") { $0.path }
        it.member("name") { $0.file.name }
        it.member("file_count", as: JSONSchema.count) { $0.file.json["file_count"]?.integer ?? 0 }
        it.member("total_size_bytes", as: JSONSchema.count) { $0.file.json["total_size"]?.integer ?? 0 }
        it.member("last_modified", as: JSONSchema.time) { $0.file.modifiedAt }
    }

    private static let fileShape = ObjectShape<Entry>("RepositoryFile") { it in
        it.member("path") { $0.path }
        it.member("name") { $0.file.name }
        it.member("directory") { $0.directory }
        it.member("extension") { $0.extension }
        it.member("size_bytes", as: JSONSchema.count) { $0.file.size }
        it.member("modified_at", as: JSONSchema.time) { $0.file.modifiedAt }
        it.member("is_binary") { binary.contains($0.extension) }
        it.member("is_symlink") { $0.file.kind == "link" }
        it.member("is_sensitive") { $0.flag("is_secret") }
        it.member("git_tracked") { $0.flag("is_tracked") }
        it.member("git_ignored") { $0.flag("is_ignored") }
    }

    /// The extensions of files that are no text. The content is not read for a list.
    private static let binary: Set<String> = [
        "7z", "a", "avi", "bin", "bmp", "bz2", "class", "dll", "dmg", "doc", "docx", "dylib", "eot", "exe", "gif", "gz",
        "heic", "ico", "iso", "jar", "jpeg", "jpg", "m4a", "mkv", "mov", "mp3", "mp4", "o", "ogg", "otf", "pdf", "png",
        "ppt", "pptx", "pyc", "rar", "so", "sqlite", "tar", "tgz", "tiff", "ttf", "wasm", "wav", "webm", "webp", "woff",
        "woff2", "xls", "xlsx", "xz", "zip", "zst",
    ]
}

extension AgentService {
    /// A JSON object.
    package func files(
        _ listing: RepositoryListing,
        ofProject id: String,
        by responder: Responder
    ) async throws(APIError) -> [UInt8] {
        let project = try await place(ofProject: id)
        let json = try await list(
            project.appending(listing.directory),
            [
                ("limit", .integer(listing.limit)), ("offset", .integer(listing.offset)), ("git", .bool(true)),
                ("counts", .bool(true)), ("hidden", .bool(listing.isHiddenIncluded)),
            ],
            by: responder
        )
        let answer = RepositoryListing.Answer(request: listing, list: FileList(json))
        return RepositoryListing.shape.json(answer, reserving: 4096)
    }
}
