import Testing

@testable import CdevDialect
@testable import Transcripts

@Suite struct ToldByTranscriptTests {
    @Test func theMarksOfASessionAreBounded() {
        var told = ToldByTranscript()
        for event in 1...50 {
            told.grow(Set((1...100).compactMap { MessageMark("c\(event)f\($0)") }))
            #expect(told.count == min(event * 100, ToldByTranscript.maximumMarks))
        }
        #expect(!told.isEmpty)
    }

    @Test func whatIsTooMuchAtOnceIsNotKept() {
        var told = ToldByTranscript()
        told.grow(Set((0...ToldByTranscript.maximumMarks).compactMap { MessageMark("c\($0)") }))
        #expect(told.isEmpty)
    }
}
