internal import EventModel

/// The numbers (`event.sequence`) of the log records of one export. A process of Claude Code numbers its records from
/// 0, whatever their kind and session. An export contains consecutive numbers.
///
/// Each stored event also gets the numbers of the preceding records that are not stored. So a number that no
/// event has was lost in transit.
struct RecordNumbering {
    struct Record {
        var number: Int64
        var session: String
        var time: Timestamp
        /// The index of the record's event in the batch, or `nil` if the record is not stored.
        var event: Int?
    }

    /// The records of a session in a run in which none of its records is stored.
    struct PassedOver: Equatable {
        var session: String
        var records: Int
        var numbers: RecordNumbers
    }

    private var records: [Record] = []

    /// Ignores a record without a number or a session.
    mutating func add(_ record: OTLPLogRecord, at time: Timestamp, session: String?, event: Int?) {
        guard let session, let number = record.attributes["event.sequence"]?.integerValue, number >= 0 else { return }
        records.append(Record(number: number, session: session, time: time, event: event))
    }

    /// Writes the numbers into the events. Returns, for each run, the sessions that have no event in it.
    func write(to events: inout [MonitorEvent]) -> [PassedOver] {
        var passed: [PassedOver] = []
        for run in runs() {
            var seen: Set<String> = []
            for record in run where seen.insert(record.session).inserted {
                if let rest = write(run, of: record.session, to: &events) { passed.append(rest) }
            }
        }
        return passed
    }

    /// Records with consecutive numbers.
    private func runs() -> [[Record]] {
        var runs: [[Record]] = []
        for record in records.sorted(by: { ($0.number, $0.time.microseconds) < ($1.number, $1.time.microseconds) }) {
            if let last = runs.last?.last, record.number - last.number <= 1 {
                runs[runs.count - 1].append(record)
            } else {
                runs.append([record])
            }
        }
        return runs
    }

    /// All numbers of a run count for each of its sessions, because no number within a run was lost.
    private func write(_ run: [Record], of session: String, to events: inout [MonitorEvent]) -> PassedOver? {
        guard let first = run.first, let last = run.last else { return nil }
        let stored = run.indices.filter { run[$0].session == session && run[$0].event != nil }
        var numbers = RecordNumbers(
            first: first.number,
            last: last.number,
            since: first.time,
            until: last.time,
            isStart: first.number == 0 || first.session != session
        )
        guard let final = stored.last else {
            let records = run.count { $0.session == session }
            return PassedOver(session: session, records: records, numbers: numbers)
        }
        for place in stored {
            guard let event = run[place].event else { continue }
            let end = place == final ? last : run[place]
            (numbers.last, numbers.until) = (end.number, end.time)
            events[event].facts.report?.numbers = numbers
            guard place != final else { break }
            let next = run[place + 1]
            (numbers.first, numbers.since, numbers.isStart) = (next.number, next.time, false)
        }
        return nil
    }
}
