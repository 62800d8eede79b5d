"""Replaces the table between the marks of a Markdown file."""

import sys


def replace(path, command, text):
    """The marks name the command that prints the table. Ends the program when the file lacks them."""
    begin, end = ("<!-- %s: %s -->\n" % (command, word) for word in ("begin", "end"))
    with open(path, encoding="utf-8") as file:
        document = file.read()
    first, last = document.find(begin), document.find(end)
    if first < 0 or last < first:
        sys.exit("%s lacks the lines '%s' and '%s'" % (path, begin.strip(), end.strip()))
    with open(path, "w", encoding="utf-8") as file:
        file.write(document[:first + len(begin)] + text + document[last:])
