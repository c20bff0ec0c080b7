"""Stand-ins for what a test does without, shared by tests of several packages: one per file."""
