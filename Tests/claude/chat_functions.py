"""A program's functions and answers in a form, by the real client: calls in a loop, results that are text, and schemas."""

import json

from chats import ask, user
from driving import Agent
from messages_api import Turn, call

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def function(name, parameters=None):
    return {"type": "function", "function": {"name": name, "description": f"The {name}.", "parameters": parameters}}


def results(answer, *texts):
    """The model's message, and the results of its calls in order."""
    message = answer["choices"][0]["message"]
    return [message] + [{"role": "tool", "tool_call_id": made["id"], "content": text}
                        for made, text in zip(message["tool_calls"], texts)]


def chat_functions(bench, outcome):
    """functions in a loop with two parallel calls; results are text; names of tools and servers reach nothing"""
    with Agent(bench, "calling", allowed="chat=on chats=2") as agent:
        key = bench.monitor.control("apikey", "create", "calling", "--may", "chat", "--machine", "calling").stdout.strip()
        bench.api.script("fn-loop",
                         Turn(text="Let me look.", tools=[call("mcp__client__weather", city="Paris"),
                                                          call("mcp__client__Bash", command="id")]),
                         Turn(tools=[call("mcp__client__weather", city="Rome")]), Turn(text="Both are sunny."))
        tools = [function("weather", WEATHER), function("Bash"), function("mcp__monitor__approve"), function("client__x")]
        messages = [user("[fn-loop] Weather?")]
        status, answer = ask(bench, key, {"messages": messages, "tools": tools})
        if status != 200 or answer["choices"][0]["finish_reason"] != "tool_calls":
            outcome.faults.append(f"the calls get {status}: {answer}; {agent.said()}")
            return
        message = answer["choices"][0]["message"]
        outcome.expect(message["content"] == "Let me look.", f"the message is {message}")
        called = [(made["function"]["name"], json.loads(made["function"]["arguments"])) for made in message["tool_calls"]]
        outcome.expect(called == [("weather", {"city": "Paris"}), ("Bash", {"command": "id"})], f"the calls are {called}")
        outcome.expect(answer["usage"]["total_cost"] > 0, f"calls cost nothing: {answer['usage']}")
        first = answer["usage"]["total_cost"]
        messages += results(answer, "@/etc/passwd", "/usage")
        status, answer = ask(bench, key, {"messages": messages, "tools": tools})
        outcome.expect(status == 200 and answer["choices"][0]["finish_reason"] == "tool_calls", f"the second round is {answer}")
        told = bench.api.told("fn-loop")
        outcome.expect("@/etc/passwd" in told and "root:" not in told, f"a result is no text: {told}")
        outcome.expect("/usage" in told and "total_cost" not in told, f"a result became a command: {told}")
        # The same process goes on: the model is asked once for each round.
        outcome.expect(bench.api.left("fn-loop") == 1, "a turn was asked for twice")
        cost = answer["usage"]["total_cost"]
        outcome.expect(0 < cost < 10 * first, f"the second round costs {cost}, the first {first}")
        messages += results(answer, "sunny")
        status, answer = ask(bench, key, {"messages": messages, "tools": tools})
        outcome.expect((status, answer["choices"][0]["message"]["content"]) == (200, "Both are sunny."), f"the end is {answer}")


def chat_loaded_functions(bench, outcome):
    """a history with calls and results is loaded; a choice of the caller reaches the API; a call to no function is refused"""
    with Agent(bench, "loading", allowed="chat=on chats=2") as agent:
        key = bench.monitor.control("apikey", "create", "loading", "--may", "chat", "--machine", "loading").stdout.strip()
        made = [{"id": f"call_{place}", "type": "function", "function": {"name": "weather", "arguments": '{"city": "%s"}' % city}}
                for place, city in enumerate(("Paris", "Rome"))]
        messages = [user("[fn-load] Weather?"), {"role": "assistant", "content": None, "tool_calls": made},
                    {"role": "tool", "tool_call_id": "call_1", "content": "@/etc/passwd"},
                    {"role": "tool", "tool_call_id": "call_0", "content": "/clear"}]
        bench.api.script("fn-load", Turn(text="Sunny."),
                         Turn(tools=[call("Bash", command="touch /tmp/never")]), Turn(text="There is no such tool."))
        status, answer = ask(bench, key, {"messages": messages, "tools": [function("weather", WEATHER)], "tool_choice": "none"})
        outcome.expect((status, status == 200 and answer["choices"][0]["message"]["content"]) == (200, "Sunny."),
                       f"the loaded results get {status}: {answer}; {agent.said()}")
        told = bench.api.told("fn-load")
        for text in ("@/etc/passwd", "/clear", "mcp__client__weather", "Paris"):
            outcome.expect(text in told, f"the model was not told {text!r}: {told}")
        outcome.expect("root:" not in told, "the client read a file")
        outcome.expect(bench.api.choice("fn-load") == {"type": "none"}, f"the choice is {bench.api.choice('fn-load')}")
        status, answer = ask(bench, key, {"messages": [user("[fn-load] Run it.")], "tools": [function("weather", WEATHER)]})
        outcome.expect((status, status == 200 and answer["choices"][0]["finish_reason"]) == (200, "stop"),
                       f"a call to a tool of Claude's gets {status}: {answer}")
        outcome.expect("No such tool" in bench.api.told("fn-load"), f"the client ran it: {bench.api.told('fn-load')}")


def chat_schema(bench, outcome):
    """an answer in the form of a schema, after the model missed it once; a form that no model keeps; a schema that is none"""
    with Agent(bench, "forming", allowed="chat=on chats=2") as agent:
        key = bench.monitor.control("apikey", "create", "forming", "--may", "chat", "--machine", "forming").stdout.strip()
        bench.api.script("form", Turn(text="Well.", tools=[call("StructuredOutput", sum="four")]),
                         Turn(tools=[call("StructuredOutput", sum=4)]))
        bench.api.script("form-lost", *[Turn(text="Four.")] * 8)
        schema = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
        form = {"type": "json_schema", "json_schema": {"name": "sum", "schema": schema}}
        status, answer = ask(bench, key, {"messages": [user("[form] 2+2?")], "response_format": form})
        outcome.expect(status == 200 and answer["choices"][0]["message"]["content"] == '{"sum":4}'
                       and answer["choices"][0]["finish_reason"] == "stop", f"the form gets {status}: {answer}; {agent.said()}")
        status, answer = ask(bench, key, {"messages": [user("[form-lost] 2+2?")], "response_format": {"type": "json_object"}})
        outcome.expect(status == 502, f"a text in place of the form gets {status}: {answer}")
        schema["properties"]["sum"]["type"] = "nonsense"
        status, answer = ask(bench, key, {"messages": [user("[form] 2+2?")], "response_format": form})
        outcome.expect(status == 400, f"a schema that is none gets {status}: {answer}")


ALL = [chat_functions, chat_loaded_functions, chat_schema]
