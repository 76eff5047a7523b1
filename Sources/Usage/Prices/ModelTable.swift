/// The known models, newest of each family first. A new price is a new entry with its first day; the old entry stays
/// for earlier days.
enum ModelTable {
    /// The source of the rates: the model catalog of this client, which `scripts/check-prices` compares with the table.
    /// Haiku 3, which the client does not price, has the list price of its time.
    static let source = "Claude Code 2.1.332"
    /// The day on which the rates were last compared with that source.
    static let day = "2026-11-26"

    static let all: [ModelRecord] = [
        ModelRecord(
            "claude-fable-5-2",
            "fable",
            context: 1_000_000,
            output: 128_000,
            [ModelPrice(from: "2026-11-09", fable52, fast: fable52Fast)]
        ),
        ModelRecord("claude-fable-5-1", context: 1_000_000, [ModelPrice(from: "2026-09-01", fable51)]),
        ModelRecord("claude-fable-5", context: 1_000_000, [ModelPrice(from: "2026-06-09", fable5)]),
        ModelRecord("claude-mythos-5-2", context: 1_000_000, [ModelPrice(fable52, fast: fable52Fast)]),
        ModelRecord("claude-mythos-5-1", context: 1_000_000, [ModelPrice(from: "2026-09-01", fable51)]),
        ModelRecord("claude-mythos-5", context: 1_000_000, [ModelPrice(from: "2026-06-09", fable5)]),
        ModelRecord(
            "claude-opus-5-5",
            "opus",
            context: 1_000_000,
            output: 128_000,
            [ModelPrice(TokenRates(4, 20, read: 0.2, write5m: 5, write1h: 8), fast: opus55Fast)]
        ),
        ModelRecord("claude-opus-5", context: 1_000_000, [ModelPrice(opus5, fast: fable5)]),
        ModelRecord("claude-opus-4-8", context: 1_000_000, [ModelPrice(opus5, fast: fable5)]),
        ModelRecord("claude-opus-4-7", context: 1_000_000, [ModelPrice(opus5, fast: opus46Fast)]),
        ModelRecord(
            "claude-opus-4-6",
            "claude-opus-4-6-20260205",
            context: 200_000,
            [ModelPrice(opus5, fast: opus46Fast)]
        ),
        ModelRecord("claude-opus-4-5-20251101", "claude-opus-4-5", context: 200_000, [ModelPrice(opus5)]),
        ModelRecord("claude-opus-4-1", "claude-opus-4-1-20250805", context: 200_000, [ModelPrice(opus4)]),
        ModelRecord("claude-opus-4-20250514", "claude-opus-4", context: 200_000, [ModelPrice(opus4)]),
        ModelRecord(
            "claude-sonnet-5-5",
            "sonnet",
            context: 1_000_000,
            [
                ModelPrice(TokenRates(2, 10, read: 0.2, write5m: 2.5, write1h: 4)),
                ModelPrice(from: "2026-10-07", TokenRates(2, 10, read: 0.1, write5m: 2.5, write1h: 4)),
            ]
        ),
        ModelRecord(
            "claude-sonnet-5",
            context: 1_000_000,
            [ModelPrice(TokenRates(2, 10, read: 0.2, write5m: 2.5, write1h: 4))]
        ),
        ModelRecord("claude-sonnet-4-6", context: 200_000, [ModelPrice(sonnet4)]),
        ModelRecord("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", context: 200_000, [ModelPrice(sonnet4)]),
        ModelRecord("claude-sonnet-4-20250514", "claude-sonnet-4", context: 200_000, [ModelPrice(sonnet4)]),
        ModelRecord(
            "claude-haiku-5-5",
            "haiku",
            context: 1_000_000,
            [
                ModelPrice(
                    TokenRates(0.1, 0.5, read: 0.01, write5m: 0.125, write1h: 0.2),
                    above: 100_000,
                    TokenRates(0.5, 2.5, read: 0.05, write5m: 0.625, write1h: 1)
                )
            ]
        ),
        ModelRecord(
            "claude-haiku-4-5-20251001",
            "claude-haiku-4-5",
            context: 200_000,
            [ModelPrice(TokenRates(1, 5, read: 0.1, write5m: 1.25, write1h: 2))]
        ),
        ModelRecord(
            "claude-3-7-sonnet-20250219",
            "claude-3-7-sonnet",
            context: 200_000,
            [ModelPrice(sonnet4)]
        ),
        ModelRecord(
            "claude-3-5-sonnet-20241022",
            "claude-3-5-sonnet",
            context: 200_000,
            output: 8192,
            [ModelPrice(sonnet4)]
        ),
        ModelRecord(
            "claude-3-5-haiku-20241022",
            "claude-3-5-haiku",
            context: 200_000,
            training: "2024-10",
            [ModelPrice(TokenRates(0.8, 4, read: 0.08, write5m: 1, write1h: 1.6))]
        ),
        ModelRecord(
            "claude-3-haiku",
            "claude-3-haiku-20240307",
            context: 200_000,
            output: 4096,
            [ModelPrice(TokenRates(0.25, 1.25, read: 0.03, write5m: 0.3, write1h: 0.5))]
        ),
    ]

    private static let fable52 = TokenRates(8, 40, read: 0.2, write5m: 10, write1h: 16)
    private static let fable52Fast = TokenRates(16, 80, read: 0.4, write5m: 20, write1h: 32)
    private static let opus55Fast = TokenRates(8, 40, read: 0.4, write5m: 10, write1h: 16)
    private static let opus46Fast = TokenRates(30, 150, read: 3, write5m: 37.5, write1h: 60)
    private static let fable51 = TokenRates(10, 50, read: 0.25, write5m: 12.5, write1h: 20)
    private static let fable5 = TokenRates(10, 50, read: 1, write5m: 12.5, write1h: 20)
    private static let opus5 = TokenRates(5, 25, read: 0.5, write5m: 6.25, write1h: 10)
    private static let opus4 = TokenRates(15, 75, read: 1.5, write5m: 18.75, write1h: 30)
    private static let sonnet4 = TokenRates(3, 15, read: 0.3, write5m: 3.75, write1h: 6)
}
