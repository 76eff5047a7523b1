/// The status and the headers of a response.
package struct ResponseHead: Sendable, Equatable {
    package let status: Int
    /// Names in lower case, in the order of the response. A name may occur several times.
    package let fields: [(name: String, value: String)]

    /// The value of a header that occurs once; `nil` also if it occurs several times.
    package func value(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// - Parameter name: in lower case.
    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    package static func == (left: ResponseHead, right: ResponseHead) -> Bool {
        left.status == right.status && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Returns `nil` for what is no head of HTTP/1.
    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let line = lines.first?.split(separator: " ", maxSplits: 2), line.count >= 2,
            line[0].hasPrefix("HTTP/1."), line[1].utf8.count == 3, let status = Int(line[1]),
            (100...599).contains(status)
        else { return nil }
        self.status = status
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), parts.count == 2 ? ResponseHead.trimmed(parts[1]) : "")
        }
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
