"""Replaces the table between the marks of a Markdown file."""

import sys


def between(document, command, text):
    """The document with `text` between its marks, which name the command that prints it; None when it lacks them."""
    begin, end = ("<!-- %s: %s -->\n" % (command, word) for word in ("begin", "end"))
    first, last = document.find(begin), document.find(end)
    return None if first < 0 or last < first else document[:first + len(begin)] + text + document[last:]


def replace(path, command, text):
    """Ends the program when the file lacks the marks."""
    with open(path, encoding="utf-8") as file:
        document = between(file.read(), command, text)
    if document is None:
        sys.exit("%s lacks the lines '<!-- %s: begin -->' and '<!-- %s: end -->'" % (path, command, command))
    with open(path, "w", encoding="utf-8") as file:
        file.write(document)
