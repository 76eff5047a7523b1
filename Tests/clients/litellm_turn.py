"""usage: litellm_turn.py   with OPENAI_BASE_URL and OPENAI_API_KEY

One turn by LiteLLM, unmodified, with the function of the standard input. Prints what it returned.
"""

import json
import sys

import litellm


def main():
    arguments = json.load(sys.stdin)
    choice = litellm.completion(model="openai/" + arguments.pop("model"), **arguments).choices[0]
    calls = [[call.function.name, call.function.arguments] for call in choice.message.tool_calls or []]
    print(json.dumps({"text": choice.message.content, "finish": choice.finish_reason, "called": calls}))


if __name__ == "__main__":
    main()
