"""From evidence to sentences."""
