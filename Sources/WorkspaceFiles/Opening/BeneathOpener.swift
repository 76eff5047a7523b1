internal import COpenBeneath
internal import Glibc

/// Opens a path below a directory, so that neither `..` nor a link leads out, also while others change links.
package enum BeneathOpener: CaseIterable, Sendable {
    /// By openat2(2).
    case kernel
    /// Component by component, where the system has no openat2 or refuses it.
    case stepwise

    /// Links on the way, as in Linux.
    private static let mostLinks = 40
    /// A rename while the kernel resolves `..` makes it refuse.
    private static let tries = 64

    /// The one that works on this system.
    package static let best: BeneathOpener = {
        let directory = unsafe Glibc.open("/", open_path_only | O_DIRECTORY | O_CLOEXEC)
        defer { close(directory) }
        let number = unsafe open_beneath(directory, ".", open_path_only | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return .stepwise }
        close(number)
        return .kernel
    }()

    /// The result names a file of any kind, and cannot be read yet.
    func open(_ path: RelativePath, below root: Descriptor) throws(FileFault) -> Descriptor {
        switch self {
        case .kernel: try byKernel(path, root)
        case .stepwise: try stepByStep(path, root)
        }
    }

    private func byKernel(_ path: RelativePath, _ root: Descriptor) throws(FileFault) -> Descriptor {
        let text = (path.parts.isEmpty ? [UInt8(ascii: ".")] : path.bytes) + [0]
        for _ in 0..<BeneathOpener.tries {
            let number = unsafe text.withUnsafeBytes { bytes in
                guard let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -ENOENT }
                return unsafe open_beneath(root.number, start, open_path_only | O_CLOEXEC)
            }
            switch -number {
            case EAGAIN, EINTR: continue
            case ENOSYS, EPERM: return try stepByStep(path, root)
            case let code where code > 0: throw FileFault(code: code)
            default: return Descriptor(number)
            }
        }
        return try stepByStep(path, root)
    }

    private func stepByStep(_ path: RelativePath, _ root: Descriptor) throws(FileFault) -> Descriptor {
        // The last is where the walk is. Going back never asks the system where `..` is.
        var places = [root]
        var waiting = Array(path.parts.reversed())
        var links = 0
        while let part = waiting.popLast() {
            guard let here = places.last else { throw .outside }
            let kind = try here.status.kind
            guard kind == .directory else { throw .notFound }
            if part.isEmpty || part.elementsEqual(".".utf8) { continue }
            if part.elementsEqual("..".utf8) {
                guard places.count > 1 else { throw .outside }
                places.removeLast()
                continue
            }
            let next = try Descriptor(part, in: here, for: .passing)
            guard try next.status.kind == .link else {
                places.append(next)
                continue
            }
            links += 1
            guard links <= BeneathOpener.mostLinks else { throw .links }
            let target = try next.target
            // Those links of /proc lead to open files, not to paths.
            let isPath = target.first != UInt8(ascii: "/") && !target.contains(UInt8(ascii: "["))
            if !isPath, try here.isOfKernel { throw .links }
            guard target.first != UInt8(ascii: "/") else { throw .outside }
            let parts = target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            waiting += parts.map(Array.init).reversed()
        }
        return places.last ?? root
    }
}
