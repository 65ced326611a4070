"""Faults on purpose: kills, damage, full disks, many at once. `make faults` runs them and writes docs/faults.md."""
