// Package chart draws line charts with two logarithmic axes as SVG.
//
//	chart.go  what a chart shows
//	axis.go   decades, ticks and their labels
//	svg.go    the picture
package chart
