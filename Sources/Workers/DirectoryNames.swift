internal import Glibc

/// The names in a directory of this program's own.
package enum DirectoryNames {
    /// Without `.` and `..`, in the order of the file system; empty if the directory cannot be read.
    ///
    /// - Parameter limit: further names are left out.
    package static func all(in directory: String, atMost limit: Int = .max) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
