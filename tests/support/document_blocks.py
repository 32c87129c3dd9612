"""The code blocks of documents, as tests run them: by language, below a heading or in the whole document."""

import re


def blocks(text, language, heading=None):
    """The blocks of this language, in order. `heading`: only those between this heading ("## Python") and the next of its rank."""
    if heading is not None:
        rank = heading.split(" ")[0]
        assert f"\n{heading}\n" in text, f"there is no section {heading}"
        text = text.split(f"\n{heading}\n", 1)[1].split(f"\n{rank} ", 1)[0]
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)
    assert found, f"there is no block of {language}" + (f" in the section {heading}" if heading else "")
    return found
