"""A LlamaIndex tool that runs Python in a sandbox. Needs the extra `llamaindex`.

from sandbox.integrations.llamaindex import python_tool
from sandbox.sync import SyncSandbox

with SyncSandbox("unix:///run/deckhand/sandbox.sock") as sandbox:
    tool = python_tool(sandbox)
    print(tool.call(source="print(6 * 7)"))
    agent = FunctionAgent(tools=[tool], llm=llm)
"""

from llama_index.core.tools import FunctionTool

from sandbox.integrations.report import DESCRIPTION, NAME, report
from sandbox.sync import SyncSandbox


def python_tool(sandbox: SyncSandbox) -> FunctionTool:
    """`sandbox` is open for as long as the tool is used. A model can give it source and nothing else.

    A sandbox that is gone is the tool's exception, `SandboxUnavailable`, and not an answer for the model.
    """

    def run(source: str) -> str:
        return report(sandbox.run(source))

    return FunctionTool.from_defaults(run, name=NAME, description=DESCRIPTION)
