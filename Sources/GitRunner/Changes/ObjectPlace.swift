internal import Glibc
internal import Workers

/// Where git writes objects and an index that are none of the repository's: in a directory of the agent's own.
struct ObjectPlace {
    /// A directory, which exists.
    let directory: String
    /// Directories with objects that are only read.
    let others: [String]

    private static let mostIndex = 1 << 30

    /// Makes the directory for new objects.
    init(making directory: String, others: [String]) throws(GitError) {
        (self.directory, self.others) = (directory, others)
        for path in [directory, directory + "/objects"] { try WorkTreeFile.makeDirectory(path) }
    }

    var objects: String { directory + "/objects" }
    var index: String { directory + "/index" }

    var environment: [String] {
        let quoted = others.map(ObjectPlace.quoted).joined(separator: ":")
        return [
            "GIT_INDEX_FILE=\(index)", "GIT_OBJECT_DIRECTORY=\(objects)",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES=\(quoted)",
            // What is shown is what was there, not what `git replace` names for it.
            "GIT_NO_REPLACE_OBJECTS=1",
        ]
    }

    /// As git reads names in lists.
    private static func quoted(_ path: String) -> String {
        var text = "\""
        for character in path.unicodeScalars {
            switch character {
            case "\"", "\\": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text + "\""
    }

    /// Copies the index of a repository, so that git need not read the files that it knows to be unchanged. A
    /// repository without commits may have none.
    func copyIndex(of gitDirectory: String) throws(GitError) {
        let source = unsafe open(gitDirectory + "/index", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard source >= 0 else {
            guard errno == ENOENT else { throw .failed("The repository's index cannot be read.") }
            return
        }
        defer { close(source) }
        var status = stat()
        guard unsafe fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) <= ObjectPlace.mostIndex
        else { throw .failed("The repository's index cannot be read.") }
        let copy = unsafe open(index, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw .failed("\(index) cannot be written") }
        defer { close(copy) }
        guard WorkTreeFile.copy(source, to: copy) else { throw .failed("The repository's index cannot be copied.") }
        // Git takes a file that is as new as the index for one that may have changed since.
        let times = [status.st_mtim, status.st_mtim]
        guard unsafe futimens(copy, times) == 0 else { throw .failed("\(index) cannot be written") }
    }

    func removeIndex() { _ = unsafe unlink(index) }

    /// Removes a directory of the agent's own and all in it.
    static func remove(_ directory: String) {
        for name in DirectoryNames.all(in: directory) {
            let path = directory + "/" + name
            if unsafe unlink(path) != 0, errno == EISDIR || errno == EPERM { remove(path) }
        }
        _ = unsafe rmdir(directory)
    }
}
