/// The names that are written most like a name that is unknown.
struct NearestNames {
    private static let most = 3
    /// Longer names are like no other.
    private static let mostLetters = 64

    let names: [String]

    init(to name: String, among known: [String]) {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(NearestNames.mostLetters))
        var seen: Set<String> = []
        let distances = known.filter { seen.insert($0).inserted }.map { candidate in
            (name: candidate, distance: NearestNames.distance(wanted, Array(candidate.lowercased().unicodeScalars)))
        }
        let sorted = distances.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        names = sorted.prefix(NearestNames.most).map(\.name)
    }

    /// The letters to insert, remove or replace.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var next = [row + 1]
            for (column, compared) in other.enumerated() {
                let replaced = last[column] + (letter == compared ? 0 : 1)
                next.append(min(replaced, last[column + 1] + 1, next[column] + 1))
            }
            last = next
        }
        return last[other.count]
    }
}
