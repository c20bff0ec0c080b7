"""Tests of Headwater."""
