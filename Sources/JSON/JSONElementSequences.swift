extension JSONElement {
    /// The elements of an array. Empty if the value is not an array.
    public var elements: Elements { Elements(of: self) }

    /// The members of an object, including repeated names. Empty if the value is not an object.
    public var members: Members { Members(of: self) }

    public struct Elements: Sequence, IteratorProtocol {
        private var upcoming: JSONElement
        private let end: Int

        init(of array: JSONElement) {
            end = array.isArray ? array.closingIndex : 0
            upcoming = array.at(array.index + 1)
        }

        public mutating func next() -> JSONElement? {
            guard upcoming.index < end else { return nil }
            let element = upcoming
            upcoming = element.at(element.nextIndex)
            return element
        }
    }

    public struct Members: Sequence, IteratorProtocol {
        private var nextName: JSONElement
        private let end: Int

        init(of object: JSONElement) {
            end = object.isObject ? object.closingIndex : 0
            nextName = object.at(object.index + 1)
        }

        /// `name` is a string element.
        public mutating func next() -> (name: JSONElement, value: JSONElement)? {
            guard nextName.index < end else { return nil }
            let name = nextName
            let value = name.at(name.index + 1)
            nextName = value.at(value.nextIndex)
            return (name, value)
        }
    }
}
