"""Makes the search of a built site work without a server. Usage: finish.py SITE

A page from a file may neither fetch the index nor start a worker from a file. search/offline.js holds both: the theme takes them from
the variable __search."""

import json
import sys
from pathlib import Path

OFFLINE = """// Made by tools/docs.d/finish.py: the search's index and worker for pages without a server.
var __search = {
  index: Promise.resolve(%s),
  worker: URL.createObjectURL(new Blob([%s], {type: "text/javascript"}))
};
"""


def main():
    site = Path(sys.argv[1])
    workers = list(site.glob("assets/javascripts/workers/search.*.min.js"))
    assert len(workers) == 1, f"the theme has {len(workers)} scripts for searching, not one"
    worker = workers[0].read_text().split("//# sourceMappingURL")[0]
    index = json.loads((site / "search/search_index.json").read_text())
    (site / "search/offline.js").write_text(OFFLINE % (json.dumps(index, ensure_ascii=False), json.dumps(worker)))
    # Servers have pages for errors of their own; this one has addresses from the root, which is another folder in most places.
    for unneeded in [*site.glob("assets/**/*.map"), site / "404.html"]:
        unneeded.unlink()


if __name__ == "__main__":
    main()
