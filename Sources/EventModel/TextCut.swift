extension String {
    /// Returns at most `limit` bytes of UTF-8. Cuts between characters and ends a cut text with an ellipsis.
    public func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var result = ""
        var size = 3
        for character in self {
            size += character.utf8.count
            if size > limit { break }
            result.append(character)
        }
        return result + "…"
    }
}
