"""Writers: each is a walk over blocks."""
