"""From results to documents: text, markdown, JSON, CSV, JUnit, data frames."""
