"""No result of a Vulkan call is ignored: a reset that failed leaves a fence signalled, and the next wait for it returns at once.

Looks for calls of functions that return VkResult, by the system's Vulkan header, that are a whole statement."""

import re
from pathlib import Path

from tree import Violation, code_only, line_of

FOLDERS = ("vulkan", "api", "examples", "tools/game")
AT_THE_END = {"vkDeviceWaitIdle"}  # before objects go: they go whatever it says
HEADER = Path("/usr/include/vulkan/vulkan_core.h")
# What may stand between the beginning of a statement and the call that makes the whole of it: conditions, and the object.
BEGINNING = re.compile(r"\s*(?:(?:if|for|while)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*|else\s+|do\s+)*(?:\(void\)\s*)?"
                       r"(?:[\w:]+(?:\(\))?(?:\.|->))*$")


def functions_with_result():
    """Names of the functions that return VkResult."""
    return set(re.findall(r"typedef VkResult \(VKAPI_PTR \*PFN_(vk\w+)\)", HEADER.read_text(encoding="utf-8")))


def ignored(text, names):
    """Positions of calls whose result nobody looks at."""
    for call in re.finditer(r"\b(vk[A-Z]\w+)\s*\(", text):
        if call.group(1) not in names:
            continue
        start = max(text.rfind(end, 0, call.start()) for end in ";{}") + 1
        if BEGINNING.match(text[start:call.start()]):
            yield call


def check(tree, _options):
    if not HEADER.exists():
        yield Violation(str(HEADER), 0, "is not there: install libvulkan-dev (tools/setup)")
        return
    names = functions_with_result() - AT_THE_END
    for path in tree.below(*FOLDERS):
        text = code_only(tree.text(path))
        for call in ignored(text, names):
            yield Violation(path, line_of(text, call.start()), f"the result of {call.group(1)} is ignored. Return it as an error, or do "
                            "what its failure needs")
