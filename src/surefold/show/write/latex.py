"""Results as LaTeX: the answer, then tables for booktabs, in which nobody's text starts a command."""

from __future__ import annotations

import re

from surefold.numbers import MINUS
from surefold.show.blocks import Block, Document, Heading, Lines, Table, Text
from surefold.show.names import plain
from surefold.show.write.cells import cell_text

__all__ = ["latex", "latex_text"]

#: Characters that LaTeX reads as something else, and what it sets them by.
MARKS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": "'", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}",
    MINUS: "$-$", "\N{EN DASH}": "--", "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}", "\N{RIGHTWARDS ARROW}": r"$\to$",
    "\N{MULTIPLICATION SIGN}": r"$\times$", "\N{BLACK UP-POINTING TRIANGLE}": r"$\triangle$",
}  # fmt: skip
_MARKED = re.compile("|".join(map(re.escape, MARKS)))
#: Of what a column holds, how LaTeX aligns it; words may take several lines.
ALIGNED = {"number": "r", "words": "p{6cm}"}


def latex(document: Document) -> str:
    """The document as LaTeX that needs the package booktabs, with a line at its end."""
    return "\n\n".join(_parts(document)) + "\n"


def latex_text(text: object) -> str:
    r"""Text as it is to be read: no character of it is a command.

    >>> print(latex_text("50% of $x_1$ \\input{a}"), latex_text("[0.1, 0.2]"))
    50\% of \$x\_1\$ \textbackslash{}input\{a\} {[}0.1, 0.2{]}
    """
    return _MARKED.sub(lambda found: MARKS[found[0]], plain(text))


def _parts(document: Document) -> list[str]:
    parts = ["% needs \\usepackage{booktabs}"] if document.blocks else []
    if document.title:
        parts.append(rf"\paragraph{{{latex_text(document.title)}}}")
    if document.verdict is not None:
        answer, *more = document.verdict.lines
        parts.append(rf"\textbf{{{latex_text(answer[1])}}}")
        parts += [rf"{latex_text(name)}: {latex_text(sentence)}" for name, sentence in more]
    parts += [text for block in document.blocks if (text := _block(block))]
    if document.findings:
        items = "\n".join(rf"  \item {latex_text(finding)}" for finding in document.findings)
        parts.append(f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
    for part in document.parts:
        parts += _parts(part)
    return parts


def _block(block: Block) -> str:
    match block:
        case Table():
            return _table(block)
        case Text():
            return "\n\n".join(map(latex_text, block.lines))
        case Heading():
            return rf"\paragraph{{{latex_text(block.text)}}}"
        case Lines():
            return ""  # characters below each other are for terminals


def _table(table: Table) -> str:
    """Rules above, below the head and at the foot; the best row in bold; codes are for machines and left out."""
    cells = [[cell_text(cell) for cell in row] for row in table.rows]
    keep = [
        j for j, column in enumerate(table.columns) if column.kind != "code" and any(row[j].strip() for row in cells)
    ]
    if not keep:
        return ""
    aligned = "".join(ALIGNED.get(table.columns[j].kind, "l") for j in keep)
    rows = []
    for i, row in enumerate(cells):
        texts = [latex_text(row[j]) for j in keep]
        rows.append([rf"\textbf{{{text}}}" if text else "" for text in texts] if i == table.best else texts)
    head = [latex_text(table.columns[j].title) for j in keep]
    lines = [
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    title = [rf"\textbf{{{latex_text(table.title)}}}\par"] if table.title else []
    return "\n".join([*title, *lines, *(latex_text(note) + r"\par" for note in table.notes)])
