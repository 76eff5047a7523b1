"""usage: agents_turn.py   with OPENAI_BASE_URL and OPENAI_API_KEY

One run of an agent by the Agents SDK, unmodified, over chat completions, with the function that the standard input describes: the
model calls it, and answers with its result. Prints what the run gave.
"""

import asyncio
import json
import sys

import agents


async def main():
    arguments = json.load(sys.stdin)
    agents.set_default_openai_api("chat_completions")
    agents.set_tracing_disabled(True)
    called = []

    @agents.function_tool
    def weather(city: str) -> str:
        """The weather."""
        called.append(["weather", json.dumps({"city": city})])
        return "sunny"

    agent = agents.Agent(name="tester", model=arguments["model"], tools=[weather])
    result = await agents.Runner.run(agent, arguments["messages"][-1]["content"])
    print(json.dumps({"text": result.final_output, "called": called}))


asyncio.run(main())
