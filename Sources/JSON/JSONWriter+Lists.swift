extension JSONWriter {
    public mutating func strings(_ name: String, _ texts: some Sequence<String>) {
        beginArray(name)
        for text in texts { string(text) }
        endArray()
    }
}
