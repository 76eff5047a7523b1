internal import CMimalloc

/// mimalloc replaces the C library's `malloc` in the whole process, including libraries, because it is linked first.
/// It is faster for memory that one thread allocates and another frees, as happens with every event.
enum Allocator {
    /// The version as `major * 100 + minor`. This reference makes the linker keep the library.
    static var version: Int { Int(mi_version()) }
}
