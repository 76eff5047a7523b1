extension SecretRules {
    /// Model providers.
    static let models: [SecretRule] = [
        .key("Anthropic", "sk-ant-", .token, 8, example: "api03-{a:93}AA", not: "sk-ant-x"),
        .key("OpenAI and others", "sk-", .token, 16, .tokenStart, example: "proj-{a:120}", not: "sk-short"),
        .key("OpenAI", "sess-", .base62, 40, .tokenStart, example: "{a:40}", not: "sess-1"),
        .key("Hugging Face", "hf_", .base62, 20, example: "{a:34}", not: "hf_hub_download_something"),
        .key("Hugging Face", "api_org_", .base62, 30, example: "{a:34}", not: "api_org_name"),
        .key("Groq", "gsk_", .base62, 20, example: "{a:52}", not: "gsk_renderer"),
        .key("xAI", "xai-", .base62, 20, example: "{a:80}", not: "xai-sdk"),
        .key("Replicate", "r8_", .base62, 20, example: "{a:37}", not: "r8_unorm"),
        .key("Perplexity", "pplx-", .base62, 20, example: "{a:48}", not: "pplx-api"),
        .key("Fireworks", "fw_", .base62, 22, example: "{a:24}", not: "fw_update"),
        .key("Together", "tgp_v1_", .token, 24, example: "{a:43}", not: "tgp_v1_x"),
        .key("NVIDIA", "nvapi-", .token, 30, example: "{a:64}", not: "nvapi-doc"),
        .key("LangSmith", "lsv2_", .token, 32, example: "pt_{h:32}_{h:10}", not: "lsv2_pt"),
        .key("Tavily", "tvly-", .token, 20, example: "dev-{a:32}", not: "tvly-dev"),
        .key("Pinecone", "pcsk_", .token, 24, example: "{a:70}", not: "pcsk_x"),
        .key("Cerebras", "csk-", .base62, 30, example: "{l:48}", not: "csk-x"),
    ]
}
