internal import CMimalloc

/// mimalloc stands in for the C library's `malloc` in the whole process, the libraries included, because it is linked
/// before it. What one thread gives back to another, as every event is, costs it less.
enum Allocator {
    /// As `major * 100 + minor`. Names the library, so that the linker keeps it.
    static var version: Int { Int(mi_version()) }
}
