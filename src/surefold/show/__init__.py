"""One description of every result, and the writers that make text, markdown and pictures of it."""
