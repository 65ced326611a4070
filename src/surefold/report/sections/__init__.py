"""What the page says, part by part: each section is a title, a template and the data it shows."""
