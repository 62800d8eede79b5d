"""Replaces the table between the marks of a Markdown file."""


def between(document, command, text):
    """The document with `text` between its marks, which name the command that prints it; None when it lacks them."""
    begin, end = ("<!-- %s: %s -->\n" % (command, word) for word in ("begin", "end"))
    first, last = document.find(begin), document.find(end)
    return None if first < 0 or last < first else document[:first + len(begin)] + text + document[last:]
