"""A LangChain tool that runs Python in a sandbox. Needs the extra `langchain`.

from sandbox.integrations.langchain import python_tool
from sandbox.sync import SyncSandbox

with SyncSandbox("unix:///run/deckhand/sandbox.sock") as sandbox:
    tool = python_tool(sandbox)
    print(tool.invoke({"source": "print(6 * 7)"}))
    agent = create_agent(model, tools=[tool])
"""

from langchain_core.tools import BaseTool, StructuredTool

from sandbox.integrations.report import DESCRIPTION, NAME, report
from sandbox.sync import SyncSandbox


def python_tool(sandbox: SyncSandbox) -> BaseTool:
    """`sandbox` is open for as long as the tool is used. A model can give it source and nothing else.

    A sandbox that is gone is the tool's exception, `SandboxUnavailable`, and not an answer for the model.
    """

    def run(source: str) -> str:
        return report(sandbox.run(source))

    return StructuredTool.from_function(run, name=NAME, description=DESCRIPTION)
