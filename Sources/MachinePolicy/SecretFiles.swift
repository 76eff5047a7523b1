internal import Risks

/// Files that hold credentials, by the rows of `hooks/risk.tsv` that also judge what tools read.
package enum SecretFiles {
    /// - Parameter path: absolute and without links.
    package static func contain(_ path: [UInt8]) -> Bool { RiskTable.shipped.isSecret(path) }
}
