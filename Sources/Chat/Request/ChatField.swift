/// A field of a chat request. Some fields are OpenAI's, and some are this server's.
enum ChatField: String, CaseIterable {
    case messages, model, stream, stop
    case streamOptions = "stream_options"
    case maxTokens = "max_tokens"
    case maxCompletionTokens = "max_completion_tokens"
    case reasoningEffort = "reasoning_effort"
    case systemPrompt = "system_prompt"
    case n, modalities, audio, logprobs, functions, tools, mcp
    case topLogprobs = "top_logprobs"
    case functionCall = "function_call"
    case toolChoice = "tool_choice"
    case responseFormat = "response_format"
    case webSearchOptions = "web_search_options"
    case projectID = "project_id"
    case sessionID = "session_id"
    case onDisconnect = "on_disconnect"
    case temperature, seed, metadata, prediction, store, user, verbosity, moderation
    case topP = "top_p"
    case frequencyPenalty = "frequency_penalty"
    case presencePenalty = "presence_penalty"
    case logitBias = "logit_bias"
    case parallelToolCalls = "parallel_tool_calls"
    case promptCacheKey = "prompt_cache_key"
    case promptCacheOptions = "prompt_cache_options"
    case promptCacheRetention = "prompt_cache_retention"
    case safetyIdentifier = "safety_identifier"
    case serviceTier = "service_tier"

    enum Treatment: String {
        case honoured
        /// 400, except with a value that asks for nothing.
        case refused
        /// The answer's header `x-ignored-parameters` names it.
        case ignored
    }

    var treatment: Treatment {
        switch self {
        case .messages, .model, .stream, .stop, .streamOptions, .maxTokens, .maxCompletionTokens, .reasoningEffort,
            .systemPrompt, .projectID, .sessionID, .onDisconnect, .tools, .toolChoice, .parallelToolCalls,
            .responseFormat, .mcp:
            .honoured
        case .n, .modalities, .audio, .logprobs, .functions, .topLogprobs, .functionCall, .webSearchOptions:
            .refused
        case .temperature, .seed, .metadata, .prediction, .store, .user, .verbosity, .moderation, .topP,
            .frequencyPenalty, .presencePenalty, .logitBias, .promptCacheKey, .promptCacheOptions,
            .promptCacheRetention, .safetyIdentifier, .serviceTier:
            .ignored
        }
    }
}
