package tree

import "github.com/mattn/go-runewidth"

// fit cuts a line to the width of the window.
func fit(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// pad cuts or fills a line to a width.
func pad(text string, width int) string { return runewidth.FillRight(fit(text, width), width) }

func paint(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }

func invert(text string) string { return paint("7", text) }
func dim(text string) string    { return paint("2", text) }
func red(text string) string    { return paint("31", text) }
func yellow(text string) string { return paint("33", text) }
