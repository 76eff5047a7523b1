package import EventModel
package import HTTPModel

extension QueryParameters {
    /// A time, or a date, which means the beginning of that day in UTC.
    ///
    /// - Parameter addingDay: whether a date means the end of that day instead.
    package func time(_ name: String, addingDay: Bool = false) throws(APIError) -> Timestamp? {
        guard let text = self[name] else { return nil }
        if let time = Timestamp(rfc3339: text) { return time }
        guard let day = Timestamp(rfc3339: text + "T00:00:00Z") else {
            throw .invalid("invalid_parameter", "'\(name)' must be a date or an RFC 3339 time.", param: name)
        }
        return addingDay ? day.adding(seconds: 86_400) : day
    }
}
