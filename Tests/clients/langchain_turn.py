"""usage: langchain_turn.py   with OPENAI_BASE_URL and OPENAI_API_KEY

One turn by LangChain's client, unmodified, with the function of the standard input. Prints what it returned.
"""

import json
import sys

from langchain_openai import ChatOpenAI


def main():
    arguments = json.load(sys.stdin)
    model = ChatOpenAI(model=arguments["model"]).bind_tools(arguments["tools"])
    answer = model.invoke([(message["role"], message["content"]) for message in arguments["messages"]])
    calls = [[call["name"], json.dumps(call["args"])] for call in answer.tool_calls]
    print(json.dumps({"text": answer.content, "finish": answer.response_metadata["finish_reason"], "called": calls}))


if __name__ == "__main__":
    main()
