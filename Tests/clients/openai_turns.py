"""usage: openai_turns.py   with OPENAI_BASE_URL and OPENAI_API_KEY

Chats by OpenAI's own client, unmodified, as the lines of the standard input say: each is a JSON object with `how` and the
arguments of `create`. Prints one line for each: what the client returned, or the class and the code of what it raised. Each
request that is sent is a line of the standard error.
"""

import json
import sys
import typing

import openai
import pydantic


def whole(client, arguments):
    answer = client.chat.completions.create(**arguments)
    return {"text": answer.choices[0].message.content, "finish": answer.choices[0].finish_reason,
            "tokens": answer.usage.total_tokens, "cost": answer.usage.model_extra["total_cost"]}


def stream(client, arguments):
    pieces, tokens = [], None
    for chunk in client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **arguments):
        pieces += [choice.delta.content or "" for choice in chunk.choices]
        tokens = chunk.usage.total_tokens if chunk.usage else tokens
    return {"text": "".join(pieces), "tokens": tokens}


def helper(client, arguments):
    with client.chat.completions.stream(**arguments) as events:
        kinds = [event.type for event in events]
        answer = events.get_final_completion()
    return {"text": answer.choices[0].message.content, "finish": answer.choices[0].finish_reason,
            "ended": kinds.count("content.done")}


def project(client, arguments):
    answer = client.chat.completions.create(**arguments)
    return {"text": answer.choices[0].message.content, "session": answer.session_id, "project": answer.project_id,
            "thinking": getattr(answer.choices[0].message, "reasoning_content", None), "tools": [tool["name"] for tool in answer.monitor["tools"]]}


class Sum(pydantic.BaseModel):
    sum: int
    sign: typing.Literal["plus", "minus"]


def parsed(client, arguments):
    answer = client.chat.completions.parse(response_format=Sum, **arguments)
    return {"sum": answer.choices[0].message.parsed.sum, "sign": answer.choices[0].message.parsed.sign}


def loop(client, arguments):
    """Runs the functions that the model calls, until it has an answer."""
    messages, called = arguments.pop("messages"), []
    while True:
        message = client.chat.completions.create(messages=messages, **arguments).choices[0].message
        if not message.tool_calls:
            return {"text": message.content, "called": called}
        messages.append(message)
        for call in message.tool_calls:
            called.append([call.function.name, call.function.arguments])
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})


def calls(client, arguments):
    """The calls of a stream, by the client's helper."""
    with client.chat.completions.stream(**arguments) as events:
        done = [event for event in events if event.type == "tool_calls.function.arguments.done"]
        answer = events.get_final_completion()
    choice = answer.choices[0]
    return {"finish": choice.finish_reason, "arguments": [event.arguments for event in done],
            "called": [[call.id, call.function.name, call.function.arguments] for call in choice.message.tool_calls]}


def response(client, arguments):
    """A whole answer of the Responses API."""
    answer = client.responses.create(**arguments)
    return {"text": answer.output_text, "status": answer.status, "tokens": answer.usage.total_tokens,
            "cached": answer.usage.input_tokens_details.cached_tokens,
            "called": [[item.call_id, item.name, item.arguments] for item in answer.output if item.type == "function_call"]}


def events(client, arguments):
    """The same as events, by the client's helper."""
    with client.responses.stream(**arguments) as stream:
        found = [event for event in stream]
        answer = stream.get_final_response()
    return {"text": answer.output_text, "deltas": "".join(one.delta for one in found if one.type == "response.output_text.delta"),
            "numbers": [one.sequence_number for one in found] == sorted({one.sequence_number for one in found}),
            "called": [[item.call_id, item.name, item.arguments] for item in answer.output if item.type == "function_call"]}


def plain_events(client, arguments):
    return {"types": [event.type for event in client.responses.create(stream=True, **arguments)]}


def form(client, arguments):
    answer = client.responses.parse(text_format=Sum, **arguments)
    return {"sum": answer.output_parsed.sum, "sign": answer.output_parsed.sign}


def main():
    def tell(request):
        print(request.method, request.headers.get("x-stainless-retry-count"), file=sys.stderr, flush=True)

    client = openai.OpenAI(http_client=openai.DefaultHttpxClient(event_hooks={"request": [tell]}))
    for line in sys.stdin:
        arguments = json.loads(line)
        how = {"whole": whole, "stream": stream, "helper": helper, "parsed": parsed, "loop": loop, "calls": calls,
               "project": project, "response": response, "events": events, "plain_events": plain_events, "form": form}[arguments.pop("how")]
        try:
            result = how(client, arguments)
        except openai.APIError as error:
            result = {"raised": type(error).__name__, "code": error.code, "param": error.param}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
