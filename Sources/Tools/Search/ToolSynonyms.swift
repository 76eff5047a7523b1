/// Words that people and tools use for the same thing.
struct ToolSynonyms: Sendable {
    /// The words of each line stand for each other.
    private static let groups = """
        create make new add open start write
        delete remove erase drop undo
        reset undo revert discard
        list see show view browse
        get see show read view retrieve fetch
        search find look query
        update change edit modify set
        send post tell write mail
        run execute start launch trigger
        stop cancel end kill halt
        upload put save store
        download save get export
        append add insert
        move rename
        email mail
        message chat conversation say said
        picture image screenshot photo
        directory folder
        repository repo
        issue ticket bug
        event meeting appointment
        calendar schedule
        url link page site website web
        workflow ci pipeline action
        log output
        error crash exception failure
        comment reply answer note
        attach attachment
        document doc file
        database db
        row record item line entry
        column field schema
        click press tap push
        customer client buyer
        invoice bill
        cost price spend
        instance machine vm server
        command shell
        task todo reminder remind
        weather rain temperature forecast
        status state
        size big large
        memory ram
        approve accept review
        decline reject respond
        user person people member
        time clock date
        amazon aws
        spreadsheet sheet table
        note page
        organisation organization
        colour color
        prioritize priority
        """

    /// Abbreviations of several words.
    static let phrases = ["pr": ["pull", "request"], "k8s": ["kubernetes"]]

    static let groupWords: [[String]] = groups.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    static let words: [String] = Array(Set(groupWords.joined())).sorted()

    /// The keys are stems.
    private let others: [String: Set<String>]

    /// - Parameter stems: those of `words`.
    init(stems: [String: [String]]) {
        var others: [String: Set<String>] = [:]
        for group in ToolSynonyms.groupWords {
            let found = Set(group.flatMap { stems[$0] ?? [] })
            for stem in found { others[stem, default: []].formUnion(found.subtracting([stem])) }
        }
        self.others = others
    }

    func of(_ stem: String) -> Set<String> { others[stem] ?? [] }
}
