"""Results as markdown, for a pull request or a note: the card in bold, tables, what to know."""

from __future__ import annotations

from surefold.show.blocks import Block, Document, Heading, Lines, Table, Text
from surefold.show.names import markdown_cell
from surefold.show.write.cells import cell_text

__all__ = ["markdown"]


def markdown(document: Document) -> str:
    """The document as markdown, with a line at its end."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> list[str]:
    parts = [f"### {markdown_cell(document.title)}"] if document.title else []
    verdict = document.verdict
    if verdict is not None:
        parts.append(f"**{markdown_cell(verdict.mark)}**")
        parts.append("\n".join(f"- {_strong(name, sentence)}" for name, sentence in verdict.lines))
    parts += [text for block in document.blocks if (text := _block(block))]
    if document.findings:
        parts.append("\n".join(f"- {markdown_cell(finding)}" for finding in document.findings))
    for part in document.parts:
        parts += _parts(part)
    if verdict is not None and verdict.how:
        parts.append("How we know: " + " ".join(markdown_cell(sentence) for sentence in verdict.how))
    return parts


def _strong(name: str, sentence: str) -> str:
    text = markdown_cell(sentence)
    return f"{name}: **{text}**" if name == "Answer" else f"{name}: {text}"


def _block(block: Block) -> str:
    match block:
        case Table():
            return _table(block)
        case Text():
            mark = "- " if len(block.lines) > 1 else ""
            return "\n".join(f"{mark}{markdown_cell(line)}" for line in block.lines)
        case Heading():
            return f"{'#' * (block.level + 2)} {markdown_cell(block.text)}"
        case Lines():
            return ""  # characters below each other are for terminals


def _table(table: Table) -> str:
    parts = [f"**{markdown_cell(table.title)}**"] if table.title else []
    cells = [[cell_text(cell) for cell in row] for row in table.rows]
    keep = [j for j, column in enumerate(table.columns) if column.title or any(row[j] for row in cells)]
    if cells:
        head = [markdown_cell(table.columns[j].title) for j in keep]
        rule = ["---:" if table.columns[j].kind == "number" else "---" for j in keep]
        rows = [[_cell(row[j], table.columns[j].kind) for j in keep] for row in cells]
        parts.append("\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *rows)))
    parts += [markdown_cell(note) for note in table.notes]
    return "\n\n".join(parts)


def _cell(text: str, kind: str) -> str:
    return " ".join(f"`{code}`" for code in text.split()) if kind == "code" else markdown_cell(text)
