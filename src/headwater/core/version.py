"""The version of Headwater."""

VERSION = "0.1.0"
