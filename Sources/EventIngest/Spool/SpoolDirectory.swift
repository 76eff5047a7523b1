internal import Glibc

/// The spool's directory. A lock (flock(2)) excludes other processes for the lifetime of this object.
final class SpoolDirectory: Sendable {
    static let rejectedName = "rejected.ndjson"
    private static let segmentSuffix = ".seg"
    private static let damagedSuffix = ".damaged"

    let path: String
    let faults: DiskFaults
    private let descriptor: Int32

    /// Creates the directory (0700) if it does not exist. Its parent must exist.
    init(path: String, faults: DiskFaults) throws(SpoolError) {
        self.path = path
        self.faults = faults
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw SpoolError("make directory", path, code: errno)
        }
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SpoolError("open", path, code: errno) }
        do throws(SpoolError) {
            guard fchmod(descriptor, 0o700) == 0 else { throw SpoolError("set mode of", path, code: errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                if errno == EWOULDBLOCK { throw SpoolError(.inUse, "lock", path) }
                throw SpoolError("lock", path, code: errno)
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// Releases the lock immediately, not when the last reference is dropped.
    func release() {
        _ = flock(descriptor, LOCK_UN)
    }

    func segmentPath(_ number: Int) -> String { base(number) + SpoolDirectory.segmentSuffix }

    var rejectedPath: String { path + "/" + SpoolDirectory.rejectedName }

    private func base(_ number: Int) -> String {
        let digits = String(number)
        return path + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    struct Listing {
        /// In ascending order.
        var segments: [Int] = []
        /// In ascending order.
        var damaged: [Int] = []
    }

    func list() throws(SpoolError) -> Listing {
        guard let stream = unsafe opendir(path) else { throw SpoolError("list", path, code: errno) }
        defer { unsafe closedir(stream) }
        var listing = Listing()
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let number = SpoolDirectory.number(name, SpoolDirectory.segmentSuffix) {
                listing.segments.append(number)
            } else if let number = SpoolDirectory.number(name, SpoolDirectory.damagedSuffix) {
                listing.damaged.append(number)
            }
        }
        listing.segments.sort()
        listing.damaged.sort()
        return listing
    }

    private static func number(_ name: String, _ suffix: String) -> Int? {
        guard name.hasSuffix(suffix) else { return nil }
        let digits = name.dropLast(suffix.count)
        guard digits.count >= 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }

    func damagedBytes(_ number: Int) -> Int {
        guard let file = try? SpoolFile(reading: base(number) + SpoolDirectory.damagedSuffix) else { return 0 }
        return (try? file.size()) ?? 0
    }

    func remove(_ number: Int) throws(SpoolError) {
        guard unsafe unlink(segmentPath(number)) == 0 || errno == ENOENT else {
            throw SpoolError("remove", segmentPath(number), code: errno)
        }
    }

    /// The change is durable when the function returns.
    func setAside(_ number: Int) throws(SpoolError) {
        guard unsafe rename(segmentPath(number), base(number) + SpoolDirectory.damagedSuffix) == 0 else {
            throw SpoolError("rename", segmentPath(number), code: errno)
        }
        try sync()
    }

    /// Makes the names of new files durable.
    func sync() throws(SpoolError) {
        let fault = faults.errorNumber(.syncDirectory)
        guard fault == 0 else { throw SpoolError("fsync", path, code: fault) }
        guard fsync(descriptor) == 0 else { throw SpoolError("fsync", path, code: errno) }
    }
}
