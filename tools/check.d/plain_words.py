"""Sentences are plain English: nobody has to translate them.

A machine finds only some faults: sentences that begin with What, Whoever or Where and are not questions, some idioms of this project, and
more than 30 words up to a full stop, colon or semicolon. The rule counts them in documents (.md), in messages (string literals: help, log
and error texts) and in comments, against the limits in ceilings.json, which may only decrease. `tools/check --plain-words` lists them."""

import re
from collections import Counter

from tree import COMMENT_OR_LITERAL, Violation, blank, line_of

KINDS = ("documents", "messages", "comments")
MOST_WORDS = 30
ROOMS = ("accelerators", "api", "core", "cpu_fallback", "examples", "include", "nativewindow", "shaders", "tests", "importers", "clients", "python", "tools", "vulkan", "perf")
GENERATED = ("docs/support.md",)
RECORDS = ("perf/results/",)  # measurements, as they were written down on their day

_BEGINS = re.compile(r"^[\W_]*(What|Whoever|Where)\b")
_IDIOM = re.compile(r"\b(?:is told|are told|says? of|has nothing to say|have nothing to say|at hand)\b")
_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[A-Z`\"'(*\[]|nnvk\b)")
_CLAUSE = re.compile(r"[;:]\s")
_WORD = re.compile(r"[A-Za-z0-9_`][\w'`./:+-]*")


def faults(sentence):
    """What is wrong with one sentence, in a few words each."""
    begin = _BEGINS.match(sentence)
    if begin and not sentence.rstrip().endswith("?"):
        yield f"begins with {begin.group(1)}"
    for idiom in _IDIOM.finditer(sentence):
        yield f'says "{idiom.group(0)}"'
    words = max(len(_WORD.findall(clause)) for clause in _CLAUSE.split(sentence))
    if words > MOST_WORDS:
        yield f"has {words} words"


def faults_of(text):
    for sentence in _END.split(text):
        for fault in faults(sentence):
            yield fault, " ".join(sentence.split())[:100]


# --- Documents ---------------------------------------------------------------------------------------------------------------------

_FENCED = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.S | re.M)
_MADE = re.compile(r"<!-- Made from.*?<!-- End of what is made\. -->", re.S)
_MARKUP = re.compile(r"<!--.*?-->", re.S)
_SPAN = re.compile(r"``.+?``|`[^`]*`", re.S)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NEW_PARAGRAPH = re.compile(r"^\s*(?:[-*+]|\d+\.|#|>|\|)")


def paragraphs_of(text):
    """(line, text) of every paragraph, list item, heading and cell of a table; code is one word."""
    for pattern in (_FENCED, _MADE, _MARKUP):
        text = pattern.sub(lambda match: blank(match.group(0)), text)
    text = _SPAN.sub(lambda match: "`code`" + "\n" * match.group(0).count("\n"), text)
    start, block = 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if not line.strip() or _NEW_PARAGRAPH.match(line):
            if block:
                yield start, _LINK.sub(r"\1", " ".join(block))
            block = []
        if line.lstrip().startswith("|"):
            for cell in line.split("|"):
                if cell.strip(" -:"):
                    yield number, _LINK.sub(r"\1", cell.strip())
        elif line.strip():
            if not block:
                start = number
            block.append(line.strip().lstrip("#>-*+ "))


# --- Sources -----------------------------------------------------------------------------------------------------------------------

_DRAWING = re.compile(r"^(?://)?\s{3,}")  # a line of a comment that far from the margin is no sentence


def comments_and_messages(text):
    """("comments" or "messages", line, text): comments on neighbouring lines are one, literals that the compiler joins as well."""
    kind, start, end, parts = None, 0, 0, []
    for match in COMMENT_OR_LITERAL.finditer(text):
        is_comment = match.group("line") is not None or match.group("block") is not None
        literal = match.group("text")
        if not is_comment and literal is None:  # a character, or code and data in a raw literal
            continue
        found = "comments" if is_comment else "messages"
        between = text[end:match.start()]
        if found != kind or between.strip() or between.count("\n") > 1:
            if parts:
                yield kind, line_of(text, start), _joined(kind, parts)
            kind, start, parts = found, match.start(), []
        comment = match.group("line") or match.group("block") or ""
        parts.append(literal if not is_comment else "" if _DRAWING.match(comment) else comment)
        end = match.end()
    if parts:
        yield kind, line_of(text, start), _joined(kind, parts)


def _joined(kind, parts):
    if kind == "messages":
        return _SPAN.sub("`code`", "".join(parts).replace("\\n", ". "))
    lines = [re.sub(r"^[/*! -]+|-{3,}", "", line) for part in parts for line in part.split("\n")]
    return _SPAN.sub("`code`", " ".join(lines))


# --- The rule ----------------------------------------------------------------------------------------------------------------------


def find(tree):
    """(kind, path, line, fault, beginning of the sentence)."""
    for path in tree.below(suffixes=(".md",)):
        if path in GENERATED or path.startswith(RECORDS):
            continue
        for line, text in paragraphs_of(tree.text(path)):
            for fault, sentence in faults_of(text):
                yield "documents", path, line, fault, sentence
    for path in tree.below(*ROOMS, suffixes=(".h", ".cpp", ".c", ".comp", ".glsl")):
        for kind, line, text in comments_and_messages(tree.text(path)):
            if kind == "messages" and path.startswith("tests/"):
                continue
            for fault, sentence in faults_of(text):
                yield kind, path, line, fault, sentence


def check(tree, _options):
    ceilings = tree.data("ceilings.json")["plain_words"]
    counts = Counter(kind for kind, *_ in find(tree))
    for kind in KINDS:
        if counts[kind] > ceilings[kind]:
            yield Violation("tools/check.d/ceilings.json", 0, f"{counts[kind]} sentences in {kind} are hard to read, {ceilings[kind]} are "
                            "allowed. Say who does what, one thought per sentence (`tools/check --plain-words` lists them)")


def report(tree):
    places = sorted(find(tree))
    for kind, path, line, fault, sentence in places:
        print(f"{path}:{line}: {fault}: {sentence} [{kind}]")
    files = Counter(path for _, path, *_ in places)
    print("\nper file:")
    for path, count in sorted(files.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:5} {path}")
    counts = Counter(kind for kind, *_ in places)
    print("\n" + ", ".join(f"{counts[kind]} in {kind}" for kind in KINDS))
