/// What commands of git have in common on a machine.
package struct GitSettings: Sendable {
    /// The absolute path of the program.
    package var program: String
    /// The agent's environment, as `NAME=value`. Only some of it passes.
    package var environment: [String]
    /// A directory of the agent's own (0700).
    package var stateDirectory: String
    /// Whether a path, without links, is below a root of the machine's file.
    package var isWithinRoots: @Sendable (String) -> Bool
    /// Whether a person trusts a folder, by its path without links.
    package var trusts: @Sendable (String) -> Bool
    /// Whether the contents of a file, by its absolute path, are not shown.
    package var hides: @Sendable (String) -> Bool
    /// Milliseconds since 1970.
    package var now: @Sendable () -> Int64
    /// The bytes of all that is kept to undo discards.
    package var discardCapacity = 2 << 30

    package init(
        program: String,
        environment: [String],
        stateDirectory: String,
        isWithinRoots: @escaping @Sendable (String) -> Bool,
        trusts: @escaping @Sendable (String) -> Bool,
        hides: @escaping @Sendable (String) -> Bool,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.program, self.environment, self.stateDirectory) = (program, environment, stateDirectory)
        (self.isWithinRoots, self.trusts, self.hides, self.now) = (isWithinRoots, trusts, hides, now)
    }
}
