// Package python writes values the way Python's str and repr do. Salt prints
// such text (the outputters raw and txt) and compares with it (grain and
// pillar targets), so that it is part of the behaviour others rely on.
package python
